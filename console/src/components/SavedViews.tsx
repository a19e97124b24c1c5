import { ActionIcon, Button, Group, Popover, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Bookmark, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { meQuery } from '../app/account';
import { MAX_NAME_LENGTH, MAX_VIEWS, readViews, writeViews, type SavedView } from './saved-views';
import classes from './SavedViews.module.css';

interface SavedViewsProps {
  /** The page and its game or workspace. */
  page: string;
  /** The filters of the URL now. */
  search: Record<string, string | undefined>;
}

/** Names for filters that somebody uses again and again. They are kept in this browser, for each account and game. */
export function SavedViews({ page, search }: SavedViewsProps) {
  const accountId = useQuery(meQuery).data?.user.id;
  if (accountId === undefined) return null;
  return <Views key={`${accountId} ${page}`} accountId={accountId} page={page} search={search} />;
}

function Views({ accountId, page, search }: SavedViewsProps & { accountId: string }) {
  const navigate = useNavigate();
  const [opened, setOpened] = useState(false);
  const [views, setViews] = useState(() => readViews(accountId, page));
  const [isFull, setIsFull] = useState(false);
  const current = Object.fromEntries(
    Object.entries(search).flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])),
  );
  const isSame = (view: SavedView): boolean => toText(view.search) === toText(current);
  const active = views.find(isSame);

  const change = (next: SavedView[]): void => {
    setViews(next);
    setIsFull(!writeViews(accountId, page, next));
  };
  const open = (view: SavedView): void => {
    setOpened(false);
    void navigate({ to: '.', search: view.search });
  };

  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      position="bottom-start"
      width={280}
      trapFocus
      returnFocus
      withRoles={false}
    >
      <Popover.Target>
        <Button
          variant="default"
          size="xs"
          leftSection={<Bookmark size={13} />}
          aria-expanded={opened}
          aria-haspopup="dialog"
          onClick={() => {
            // Another tab may have changed them.
            setViews(readViews(accountId, page));
            setOpened(!opened);
          }}
        >
          <span className={classes.name}>{active?.name ?? 'Views'}</span>
        </Button>
      </Popover.Target>
      {/* Without a view and a filter nothing in it takes the focus, and Escape closes only what has the focus. */}
      <Popover.Dropdown role="dialog" aria-label="Saved views" tabIndex={-1}>
        <Stack gap="xs">
          {views.length > 0 && (
            <ul className={classes.list}>
              {views.map((view) => (
                <li key={view.name}>
                  <button type="button" aria-current={isSame(view) || undefined} onClick={() => open(view)}>
                    {view.name}
                  </button>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    size="sm"
                    aria-label={`Delete the view ${view.name}`}
                    onClick={() => change(views.filter(({ name }) => name !== view.name))}
                  >
                    <Trash2 size={13} />
                  </ActionIcon>
                </li>
              ))}
            </ul>
          )}
          {Object.keys(current).length === 0 ? (
            <Text size="xs" c="dimmed">
              Set filters, then give them a name here.
            </Text>
          ) : views.length >= MAX_VIEWS ? (
            <Text size="xs" c="dimmed">
              There are {MAX_VIEWS} views, which is the limit. Delete one to save another.
            </Text>
          ) : (
            active === undefined && (
              <SaveForm
                onSave={(name) =>
                  change([...views.filter((view) => view.name !== name), { name, search: current }])
                }
              />
            )
          )}
          {isFull && (
            <Text size="xs" role="alert">
              This browser keeps no more data. The view works until the page is reloaded.
            </Text>
          )}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

/** The filters as a text that does not depend on their order. */
const toText = (search: Record<string, string>): string =>
  JSON.stringify(Object.entries(search).toSorted(([one], [other]) => (one < other ? -1 : 1)));

function SaveForm({ onSave }: { onSave: (name: string) => void }) {
  const [name, setName] = useState('');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== '') onSave(name.trim());
      }}
    >
      <Group gap="xs" wrap="nowrap">
        <TextInput
          size="xs"
          flex={1}
          aria-label="Name of the view"
          placeholder="Name of these filters"
          maxLength={MAX_NAME_LENGTH}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button type="submit" size="xs" variant="default" disabled={name.trim() === ''}>
          Save
        </Button>
      </Group>
    </form>
  );
}
