import type { Querier } from '../../../database/database.ts';
import { sql } from '../../../database/sql.ts';

export interface MasterKeyRow {
  id: string;
  /** The root key, encrypted with the master key. */
  rootKey: Buffer;
  addedAt: string;
}

/** Lists the accepted master keys, oldest first. */
export function listMasterKeys(db: Querier): Promise<MasterKeyRow[]> {
  return db.rows(
    sql`SELECT id, root_key AS "rootKey", added_at AS "addedAt" FROM master_keys ORDER BY added_at, id`,
  );
}

export async function insertMasterKey(
  db: Querier,
  { id, rootKey }: Omit<MasterKeyRow, 'addedAt'>,
): Promise<void> {
  await db.run(sql`INSERT INTO master_keys (id, root_key) VALUES (${id}, ${rootKey})`);
}

/** Deletes all master keys except one, and returns their ids. */
export async function deleteOtherMasterKeys(db: Querier, id: string): Promise<string[]> {
  const rows = await db.rows<{ id: string }>(sql`DELETE FROM master_keys WHERE id <> ${id} RETURNING id`);
  return rows.map((row) => row.id);
}
