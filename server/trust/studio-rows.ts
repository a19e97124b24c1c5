import type pg from 'pg';
import type { Studio } from './world.ts';

/** Columns that say whose row it is, by name. */
const OWNERS = ['tenant_id', 'workspace_id', 'player_id', 'account_id', 'subscriber_workspace_id'];

/** Tables whose rows are tenants, workspaces, players and accounts. */
const OWNED_BY_ID = ['tenants', 'workspaces', 'players', 'accounts'];

/**
 * Tables that are written up to two seconds after a request of the owner. Each suite checks who is charged (test-app.ts), and
 * rejected-events.api.test.ts whose refused events are counted.
 */
const METERED = ['usage_entries', 'usage_allowances', 'rejected_events'];

/** Columns that change without a request about the row: when a key was last used is written after the answer. */
const CLOCKS = ['last_used_at'];

/** Reads all rows that belong to these owners, over all tables. Each is a line of JSON after the name of its table. */
type ReadRows = (owners: string[]) => Promise<string[]>;

/** Opens a reader of the rows of anybody, with the rights of the database's owner. */
export async function openStudioRows(owner: pg.Pool): Promise<ReadRows> {
  const { rows } = await owner.query<{ table: string; columns: string[] }>(
    `SELECT relname AS table, array_agg(attname::text) AS columns
     FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
       AND (attname = ANY($1) OR (attname = 'id' AND relname = ANY($2)))
       AND atttypid = 'uuid'::regtype AND relname <> ALL($3)
     GROUP BY relname ORDER BY relname`,
    [OWNERS, OWNED_BY_ID, METERED],
  );
  if (rows.length < 40) throw new Error(`Only ${rows.length} tables belong to somebody.`);
  const union = rows
    .map(({ table, columns }) => {
      const condition = columns.map((column) => `${column} = ANY($1::uuid[])`).join(' OR ');
      return `SELECT '${table} ' || (to_jsonb(${table}) - '{${CLOCKS.join(',')}}'::text[])::text AS line FROM ${table} WHERE ${condition}`;
    })
    .join('\nUNION ALL ');
  return async (owners) => {
    // With a name, PostgreSQL plans the statement once. That takes much longer than to run it.
    const { rows } = await owner.query<{ line: string }>({
      name: 'rows of owners',
      text: union,
      values: [owners],
    });
    return rows.map(({ line }) => line);
  };
}

/** The ids of a tenant and its players. With `workspace`, also those of its workspace and the members. */
export async function ownersOf(
  owner: pg.Pool,
  { tenant: { tenantId, workspaceId } }: Studio,
  { workspace }: { workspace: boolean },
): Promise<string[]> {
  const { rows } = await owner.query<{ id: string }>(
    `SELECT $1::uuid AS id
     UNION SELECT player_id FROM tenant_access WHERE tenant_id = $1
     UNION SELECT $2::uuid WHERE $3
     UNION SELECT account_id FROM memberships WHERE workspace_id = $2 AND $3`,
    [tenantId, workspaceId, workspace],
  );
  return rows.map(({ id }) => id);
}
