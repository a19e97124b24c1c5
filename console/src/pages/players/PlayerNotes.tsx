import { ActionIcon, Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useCanChangeGame } from '../../app/game';
import { ConfirmDialog } from '../../components/ConfirmDialog';
import { Pending } from '../../components/Pending';
import { ErrorText } from '../../components/ErrorState';
import { RelativeTime } from '../../components/RelativeTime';
import { useSubmit, type SentForm } from '../../components/form-submit';
import { useUnsavedChanges } from '../../components/unsaved-changes';
import { useDraft } from '../../components/use-draft';
import { playerNotesQuery, useAddNote, useDeleteNote, type PlayerNote, type PlayerPath } from './queries';
import classes from './PlayerNotes.module.css';

const MAX_LENGTH = 2_000;

/** What the members of the workspace have written about the player. */
export function PlayerNotes(path: PlayerPath) {
  const notes = useQuery(playerNotesQuery(path));
  const canChange = useCanChangeGame();
  const [deleting, setDeleting] = useState<PlayerNote>();
  return (
    <div className={classes.notes}>
      <NewNote path={path} canChange={canChange} />
      {notes.data?.items.map((note) => (
        <article key={note.id} className={classes.note}>
          <Group justify="space-between" gap="xs" wrap="nowrap">
            <Text size="xs" c="dimmed">
              {note.author.email ?? 'A former member'} · <RelativeTime at={note.createdAt} />
            </Text>
            {canChange && (
              <ActionIcon
                data-tip="Delete the note"
                variant="subtle"
                color="gray"
                size="sm"
                aria-label="Delete the note"
                onClick={() => setDeleting(note)}
              >
                <Trash2 size={14} />
              </ActionIcon>
            )}
          </Group>
          <Text className={classes.text}>{note.text}</Text>
        </article>
      ))}
      {notes.data?.items.length === 0 && (
        <Text c="dimmed" p="md">
          Nobody has written a note about this player. Only members of the workspace see notes.
        </Text>
      )}
      {!notes.data && <Pending query={notes} failure="The notes could not be loaded" height={90} />}
      {deleting && <DeleteDialog path={path} note={deleting} onClose={() => setDeleting(undefined)} />}
    </div>
  );
}

function NewNote({ path, canChange }: { path: PlayerPath; canChange: boolean }) {
  const form = useForm({ initialValues: { text: '' } });
  const mutation = useAddNote(path);
  const isEmpty = form.values.text.trim() === '';
  const unsaved = useUnsavedChanges(!isEmpty);
  useDraft(form, 'note');
  const sent: SentForm<{ text: string }, string, unknown> = {
    form,
    mutation,
    toInput: ({ text }) => text,
    onDone: (_answer, { text }) => {
      // What was typed during the request is not stored.
      if (form.getValues().text === text) form.reset();
    },
  };
  const submit = useSubmit(sent);
  // If the role was lowered in the meantime, the reader learns why the note is refused, and can copy it.
  if (!canChange && isEmpty) return null;
  return (
    <form className={classes.form} onSubmit={submit}>
      <Stack gap="xs" align="flex-start">
        <Textarea
          w="100%"
          label="New note"
          description="Only members of the workspace see it. It is deleted with the profile of the player."
          autosize
          minRows={2}
          maxRows={10}
          maxLength={MAX_LENGTH}
          {...form.getInputProps('text')}
        />
        {mutation.error && <ErrorText error={mutation.error} hasEffect />}
        {unsaved.question}
        <Button type="submit" variant="default" disabled={isEmpty} loading={mutation.isPending}>
          Add the note
        </Button>
      </Stack>
    </form>
  );
}

function DeleteDialog({ path, note, onClose }: { path: PlayerPath; note: PlayerNote; onClose: () => void }) {
  const remove = useDeleteNote(path);
  return (
    <ConfirmDialog
      onClose={onClose}
      title="Delete the note"
      verb="Delete the note"
      mutation={remove}
      input={note.id}
    >
      Deletes the note of {note.author.email ?? 'a former member'} for all members. This cannot be undone.
    </ConfirmDialog>
  );
}
