import type { Querier } from '../../../database/database.ts';
import { empty, sql, type Sql } from '../../../database/sql.ts';
import { memberEmail } from './member-email.ts';
import type { PlayerRef } from './player-queries.ts';

/** A tenant can add notes about a player up to this number. */
export const MAX_NOTES = 200;

/** A list has at most this many notes. A merge of several profiles can leave more than {@link MAX_NOTES}. */
export const MAX_LISTED_NOTES = 1_000;

/** A note about a player. The author has no email address if they have left the workspace. */
export interface Note {
  id: string;
  text: string;
  author: { id: string; email: string | null };
  createdAt: string;
}

/** Lists the newest {@link MAX_LISTED_NOTES} notes of a tenant about a player, newest first. */
export function listNotes(db: Querier, player: PlayerRef): Promise<Note[]> {
  return db.rows(notesOf(player));
}

/** Reads a note that exists. */
export function readNote(db: Querier, player: PlayerRef, noteId: string): Promise<Note> {
  return db.one(notesOf(player, sql`AND id = ${noteId}`));
}

const notesOf = ({ tenantId, playerId }: PlayerRef, condition = empty): Sql => sql`
    WITH note AS MATERIALIZED (
      SELECT id, text, author_id, created_at FROM player_notes
      WHERE tenant_id = ${tenantId} AND player_id = ${playerId} ${condition} ORDER BY id DESC LIMIT ${MAX_LISTED_NOTES})
    SELECT note.id, note.text, note.created_at AS "createdAt",
           jsonb_build_object(
             'id', note.author_id, 'email', ${memberEmail(sql`note.author_id`, tenantId)}) AS author
    FROM note ORDER BY note.id DESC`;

/** Returns false if the tenant has the maximum number of notes about the player. */
export function insertNote(
  db: Querier,
  note: PlayerRef & { id: string; text: string; authorId: string },
): Promise<boolean> {
  return db.changes(sql`
    INSERT INTO player_notes (tenant_id, player_id, id, text, author_id)
    SELECT ${note.tenantId}::uuid, ${note.playerId}::uuid, ${note.id}::uuid, ${note.text}, ${note.authorId}::uuid
    WHERE (SELECT count(*) FROM (
             SELECT FROM player_notes WHERE tenant_id = ${note.tenantId} AND player_id = ${note.playerId}
             LIMIT ${MAX_NOTES}) known) < ${MAX_NOTES}`);
}

/** Returns false if there is no such note. */
export function removeNote(
  db: Querier,
  { tenantId, playerId, noteId }: PlayerRef & { noteId: string },
): Promise<boolean> {
  return db.changes(sql`
    DELETE FROM player_notes WHERE tenant_id = ${tenantId} AND player_id = ${playerId} AND id = ${noteId}`);
}
