import type { AccountAuthor, Author } from '../../../core/author.ts';
import { newId } from '../../../core/ids.ts';
import { ProblemError } from '../../../core/problem.ts';
import type { Database } from '../../../database/database.ts';
import { audit } from '../../platform/audit/index.ts';
import { lockPlayer } from '../../sign-in/email/index.ts';
import { isActivePlayer } from '../profiles/index.ts';
import { hasAccess } from './moderation-queries.ts';
import { insertNote, listNotes, MAX_NOTES, readNote, removeNote, type Note } from './note-queries.ts';
import { playerNotFound, resolvePlayerId } from './read-player.ts';

interface NotedPlayer {
  tenantId: string;
  playerId: string;
}

/** The notes of a tenant about a player, newest first. Throws player_not_found. */
export async function readNotes(
  database: Database,
  { tenantId, playerId: id }: NotedPlayer,
): Promise<Note[]> {
  const tenant = database.forTenant(tenantId);
  return listNotes(tenant, tenantId, await resolvePlayerId(tenant, tenantId, id));
}

/** Adds a note about a player. Throws player_not_found and conflict. */
export async function addNote(
  database: Database,
  { text, ...player }: NotedPlayer & { text: string },
  author: AccountAuthor,
): Promise<Note> {
  return database.forTenant(player.tenantId, player.playerId).transaction(async (transaction) => {
    // This check is before the lock, so that nobody locks a player of another tenant. It is repeated after the lock, because a merge moves
    // the record.
    if (!(await hasAccess(transaction, player.tenantId, player.playerId))) throw playerNotFound();
    // A concurrent merge or deletion of the player runs either before or after the note.
    await lockPlayer(transaction, player.playerId);
    if (!(await hasAccess(transaction, player.tenantId, player.playerId))) throw playerNotFound();
    // Nothing would delete the note of a deleted profile.
    if (!(await isActivePlayer(transaction, player.playerId)))
      throw new ProblemError('conflict', 'The player has deleted the profile, so there can be no new notes.');
    const id = newId();
    if (!(await insertNote(transaction, { ...player, id, text, authorId: author.actor.id })))
      throw new ProblemError(
        'conflict',
        `Note limit reached (${MAX_NOTES} per player). Delete old notes first.`,
      );
    await audit(transaction, {
      ...author,
      action: 'player.note_added',
      tenantId: player.tenantId,
      targetId: player.playerId,
      details: { noteId: id },
    });
    return readNote(transaction, player.tenantId, player.playerId, id);
  });
}

/** Deletes a note. Throws not_found. */
export async function deleteNote(
  database: Database,
  note: NotedPlayer & { noteId: string },
  author: Author,
): Promise<void> {
  await database.forTenant(note.tenantId).transaction(async (transaction) => {
    if (!(await removeNote(transaction, note)))
      throw new ProblemError('not_found', 'The player has no such note.');
    await audit(transaction, {
      ...author,
      action: 'player.note_deleted',
      tenantId: note.tenantId,
      targetId: note.playerId,
      details: { noteId: note.noteId },
    });
  });
}
