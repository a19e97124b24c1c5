import type { Querier } from '../../../../database/database.ts';
import { empty, sql } from '../../../../database/sql.ts';

/** Clears the personal data of a deleted profile and deactivates it. */
export async function redactProfile(db: Querier, playerId: string): Promise<void> {
  await db.run(sql`
    UPDATE players
    SET display_name = NULL, avatar_url = NULL, avatar_name = NULL, email = NULL, profile_visibility = 'private',
        platform_role = 'User', is_active = false
    WHERE id = ${playerId}`);
}

/** The receipt of a deletion. */
export interface DeletionReceipt {
  receiptId: string;
  playerId: string;
  deletedAt: string;
  deletedBy: 'player' | 'account';
  removedAuthMethods: number;
  erasedSessions: number;
  destroyedKeys: number;
}

const receiptColumns = sql`receipt_id AS "receiptId", player_id AS "playerId", deleted_at AS "deletedAt", deleted_by AS "deletedBy",
           removed_auth_methods AS "removedAuthMethods", erased_sessions AS "erasedSessions",
           destroyed_keys AS "destroyedKeys"`;

export function insertDeletionReceipt(
  db: Querier,
  receipt: Omit<DeletionReceipt, 'deletedAt'>,
): Promise<DeletionReceipt> {
  return db.one(sql`
    INSERT INTO deletion_receipts (player_id, receipt_id, deleted_by, removed_auth_methods, erased_sessions, destroyed_keys)
    VALUES (${receipt.playerId}, ${receipt.receiptId}, ${receipt.deletedBy}, ${receipt.removedAuthMethods},
            ${receipt.erasedSessions}, ${receipt.destroyedKeys})
    RETURNING ${receiptColumns}`);
}

export function findDeletionReceipt(db: Querier, playerId: string): Promise<DeletionReceipt | undefined> {
  return db.row(sql`SELECT ${receiptColumns} FROM deletion_receipts WHERE player_id = ${playerId}`);
}

/** Lists receipts, newest first. The ids of receipts are generated in the order of time. */
export function listDeletionReceipts(
  db: Querier,
  { cursor, limit }: { cursor?: string | undefined; limit: number },
): Promise<DeletionReceipt[]> {
  return db.rows(sql`
    SELECT ${receiptColumns} FROM deletion_receipts
    ${cursor === undefined ? empty : sql`WHERE receipt_id < ${cursor}`}
    ORDER BY receipt_id DESC LIMIT ${limit}`);
}

/** Deletes what the tenants have noted about a player. */
export async function deleteNotes(db: Querier, playerId: string): Promise<void> {
  await db.run(sql`DELETE FROM player_notes WHERE player_id = ${playerId}`);
}
