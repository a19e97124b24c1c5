import type { AccountAuthor, Author } from '../../../core/author.ts';
import { newId } from '../../../core/ids.ts';
import { ProblemError } from '../../../core/problem.ts';
import type { Database } from '../../../database/database.ts';
import { lockPlayer } from '../../sign-in/email/index.ts';
import { isActivePlayer } from '../profiles/index.ts';
import { auditPlayer } from './audit-player.ts';
import { insertNote, listNotes, MAX_NOTES, readNote, removeNote, type Note } from './note-queries.ts';
import { hasAccess, type PlayerRef } from './player-queries.ts';
import { playerNotFound, resolvePlayer } from './read-player.ts';

/** The notes of a tenant about a player, newest first. Throws player_not_found. */
export async function readNotes(database: Database, requested: PlayerRef): Promise<Note[]> {
  const tenant = database.forTenant(requested.tenantId);
  return listNotes(tenant, await resolvePlayer(tenant, requested));
}

/** Adds a note about a player. Throws player_not_found and conflict. */
export async function addNote(
  database: Database,
  player: PlayerRef,
  text: string,
  author: AccountAuthor,
): Promise<Note> {
  return database.forTenant(player.tenantId, player.playerId).transaction(async (transaction) => {
    // This check is before the lock, so that nobody locks a player of another tenant. It is repeated after the lock, because a merge moves
    // the record.
    if (!(await hasAccess(transaction, player))) throw playerNotFound();
    // A concurrent merge or deletion of the player runs either before or after the note.
    await lockPlayer(transaction, player.playerId);
    if (!(await hasAccess(transaction, player))) throw playerNotFound();
    // Nothing would delete the note of a deleted profile.
    if (!(await isActivePlayer(transaction, player.playerId)))
      throw new ProblemError('conflict', 'The player has deleted the profile, so there can be no new notes.');
    const id = newId();
    if (!(await insertNote(transaction, { ...player, id, text, authorId: author.actor.id })))
      throw new ProblemError(
        'conflict',
        `Note limit reached (${MAX_NOTES} per player). Delete old notes first.`,
      );
    await auditPlayer(transaction, author, player, 'player.note_added', { noteId: id });
    return readNote(transaction, player, id);
  });
}

/** Deletes a note. Throws not_found. */
export async function deleteNote(
  database: Database,
  note: PlayerRef & { noteId: string },
  author: Author,
): Promise<void> {
  await database.forTenant(note.tenantId).transaction(async (transaction) => {
    if (!(await removeNote(transaction, note)))
      throw new ProblemError('not_found', 'The player has no such note.');
    await auditPlayer(transaction, author, note, 'player.note_deleted', { noteId: note.noteId });
  });
}
