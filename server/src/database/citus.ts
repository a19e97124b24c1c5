import type pg from 'pg';
import { OperatorError } from '../core/operator-error.ts';
import type { Querier } from './database.ts';
import { APPLICATION_ROLES, LOCK_SECONDS } from './pool.ts';
import { raw, sql, unprepared } from './sql.ts';

/** The tables that a cluster of Citus distributes by tenant. All others stay on the coordinator (docs/decisions/0064-citus.md). */
export const distributedTables = ['match_events', 'player_events'] as const;

/**
 * Distributes the event tables with their rows, if the database has the extension citus. Returns the names of the tables that were not
 * distributed yet. Needs a connection of the owner of the tables, which holds the lock of the migrations.
 */
export async function distributeEvents(owner: pg.Client): Promise<string[]> {
  if (!(await hasCitus(owner))) return [];
  const missing: string[] = [];
  for (const table of distributedTables) if (!(await isDistributed(owner, table))) missing.push(table);
  if (missing.length === 0) return [];
  const { rows: roles } = await owner.query<{ name: string }>(
    'SELECT rolname AS name FROM pg_roles WHERE rolname = ANY ($1) AND NOT rolcanlogin',
    [APPLICATION_ROLES],
  );
  const statements = [
    // The coordinator connects to the other nodes as these roles. They do not get the settings of its own connections.
    ...roles.map(({ name }) => `ALTER ROLE ${name} LOGIN`),
    `ALTER ROLE guildhall_event_writer SET lock_timeout = '${LOCK_SECONDS}s'`,
    ...missing.flatMap((table) => distribution(table)),
  ];
  await owner.query(['BEGIN', ...statements, 'COMMIT'].join('; '));
  return missing;
}

/** The statements that distribute a table. */
function distribution(table: string): string[] {
  const [first] = distributedTables;
  return [
    // Citus accepts no sub-select in a policy, such as that of guildhall_isolate_tenant (migration 0001).
    `ALTER POLICY tenant_isolation ON ${table} USING (coalesce(tenant_id = guildhall_tenant(), false))`,
    `SELECT create_distributed_table('${table}', 'tenant_id', colocate_with => '${table === first ? 'none' : first}')`,
    `SELECT truncate_local_data_after_distributing_table('${table}')`,
  ];
}

/**
 * On Citus, lets no event be stored until the transaction ends. The nodes commit one at a time, so a statement may see the deltas
 * of a batch without its events.
 */
export async function stopEventsOnCitus(transaction: Querier): Promise<void> {
  if (!(await transaction.exists(sql`SELECT FROM pg_extension WHERE extname = 'citus'`))) return;
  // The role of the application has too few rights. It is that of the connection again after the lock.
  const statements = [
    'SET LOCAL ROLE NONE',
    `LOCK TABLE ONLY ${distributedTables.join(', ONLY ')} IN SHARE MODE`,
    'SET LOCAL ROLE guildhall_app',
  ];
  // One by one: Citus sends the whole text of a SET LOCAL to the other nodes.
  for (const statement of statements) await transaction.run(unprepared(raw(statement)));
}

/**
 * Distributes a new table that becomes a partition of a distributed one. If its rows were written before, the coordinator would keep a
 * copy of them.
 */
export async function distributePartition(
  client: pg.ClientBase,
  parent: string,
  name: string,
): Promise<void> {
  if (!(await hasCitus(client)) || !(await isDistributed(client, parent))) return;
  await client.query(`SELECT create_distributed_table('${name}', 'tenant_id', colocate_with => '${parent}')`);
}

async function isDistributed(client: pg.ClientBase, table: string): Promise<boolean> {
  const { rowCount } = await client.query(
    'SELECT FROM pg_dist_partition WHERE logicalrelid = $1::text::regclass',
    [table],
  );
  return rowCount === 1;
}

const hasCitus = async (db: pg.Pool | pg.ClientBase): Promise<boolean> =>
  (await db.query(`SELECT FROM pg_extension WHERE extname = 'citus'`)).rowCount === 1;

/** Throws {@link OperatorError} if the events are distributed: Citus refuses the triggers with which a month is archived. */
export async function refuseArchivingOnCitus(owner: pg.Pool): Promise<void> {
  if (await hasCitus(owner))
    throw new OperatorError(
      'Events cannot be archived on a cluster of Citus. Unset ARCHIVE_AFTER_MONTHS. To delete old events, set RETENTION_MONTHS.',
    );
}
