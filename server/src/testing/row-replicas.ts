import type pg from 'pg';

interface Column {
  table: string;
  name: string;
  type: string;
  /** Whether an index contains the column. */
  indexed: boolean;
}

/** Indexed texts that say what kind of row it is. Copies keep them. */
const KINDS = new Set(
  'action auth_provider contract issuer kind operation platform provider purpose scope signer span type'.split(
    ' ',
  ),
);

/** The numbers by which the tables of wallets refer to each other. */
const WALLET_NUMBERS = new Set(['entry_index', 'player_index', 'session_id', 'match_session_id']);

/**
 * Tables of which no tenant or workspace has many rows. Notifications go to each member. A workspace can have 50 webhooks and
 * 1,000 tenants, and a tenant 1,000 keys of each kind.
 */
const FEW_PER_WORKSPACE = new Set(['memberships', 'tenants', 'tenant_keys', 'webhooks']);

/** Tables whose rows are counted or sorted by the hour. Only few rows of a tenant have the same one. */
const isHourly = (table: string): boolean => table.includes('rollup') || table === 'tenant_access';

/** How many rows of each table are copied. */
const ORIGINALS = 2;

/**
 * Copies the first rows of each table, with other ids, names, hashes and times. Rows that belong together have copies that belong
 * together. The copies are in the `same` tenant and workspace, or each copy is in an `own` tenant and workspace.
 */
export async function replicateRows(
  owner: pg.Pool,
  { tenant, copies }: { tenant: 'same' | 'own'; copies: number },
): Promise<void> {
  const columns = await listColumns(owner);
  for (const [table, ofTable] of Map.groupBy(columns, (column) => column.table)) {
    await owner.query(`
        INSERT INTO ${table} (${ofTable.map(({ name }) => name).join(', ')})
        SELECT ${ofTable.map((column) => copyOf(column, tenant)).join(', ')}
        FROM (SELECT * FROM ${table} LIMIT ${ORIGINALS}) original, generate_series(1, ${copies}) AS copy
        ON CONFLICT DO NOTHING`);
  }
}

/** Lists the columns of the tables that the API fills. The tables of the chain need a node. */
async function listColumns(owner: pg.Pool): Promise<Column[]> {
  const { rows } = await owner.query<Column>(
    `SELECT relname AS table, attname AS name, format_type(atttypid, NULL) AS type,
            EXISTS (SELECT FROM pg_index WHERE indrelid = pg_class.oid AND attnum = ANY(indkey)) AS indexed
     FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND attgenerated = '' AND NOT attisdropped
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
       AND relname NOT IN ('migrations', 'signing_keys', 'master_keys', 'event_rollup_starts') AND relname NOT LIKE 'chain%'
     ORDER BY relname, attnum`,
  );
  return rows;
}

/** The expression for a column of a copy. The same value has the same copy in all tables. */
function copyOf({ table, name, type, indexed }: Column, tenant: 'same' | 'own'): string {
  const label = `'${tenant}' || copy`;
  if (type === 'uuid') {
    const stays =
      tenant === 'same' && (name === 'tenant_id' || name === 'workspace_id') && !FEW_PER_WORKSPACE.has(table);
    // Copies sort before all ids of the application, which begin with the time.
    return stays ? name : `overlay(md5(${name} || ${label}) placing '00' from 1)::uuid`;
  }
  if (type === 'timestamp with time zone')
    return `${name} - copy * interval '1 ${isHourly(table) ? 'hour' : 'minute'}'`;
  // The outbox cannot open a mail with another id.
  if (table === 'mails' && name === 'body') return 'NULL';
  if (type === 'bytea' && indexed) return `sha256(${name} || convert_to(${label}, 'UTF8'))`;
  if (type === 'text' && indexed && !KINDS.has(name)) return `${name} || ${label}`;
  if (table === 'event_archives' && name === 'part') return 'part + copy';
  if (type === 'bigint' && table.startsWith('wallet_') && WALLET_NUMBERS.has(name))
    return `${name} + copy * 1000`;
  return name;
}

/** Lists the tables that contain fewer than `rows` rows. */
export async function listSmallTables(owner: pg.Pool, rows: number): Promise<string[]> {
  const tables = new Set((await listColumns(owner)).map(({ table }) => table));
  const small: string[] = [];
  for (const table of tables) {
    const found = await owner.query(`SELECT FROM ${table} LIMIT ${rows}`);
    if (found.rowCount! < rows) small.push(table);
  }
  return small;
}

/** Inserts a row into each table that requests leave empty: the worker fills it, or a later request deletes the row. */
export async function fillEmptyTables(
  owner: pg.Pool,
  { tenantId, workspaceId }: { tenantId: string; workspaceId: string },
): Promise<void> {
  const ids = `'${tenantId}'::uuid AS tenant_id, '${workspaceId}'::uuid AS workspace_id`;
  const key = `(SELECT id FROM tenant_keys WHERE tenant_id = '${tenantId}' LIMIT 1)`;
  const player = `(SELECT player_id FROM tenant_access WHERE tenant_id = '${tenantId}' LIMIT 1)`;
  const email = `(SELECT email FROM email_credentials WHERE player_id IS NOT NULL LIMIT 1)`;
  const hour = `date_trunc('hour', now()) - interval '1 day'`;
  const rows: Record<string, string> = {
    alerts: `${ids}, gen_random_uuid() AS id, 'rate_spike' AS type, ${key} AS key_id, 'game' AS key_kind, 1 AS threshold,
             2 AS observed, now() AS window_start, now() AS created_at`,
    alert_times: `${ids}, ${key} AS key_id, 'rate_spike' AS type, now() AS raised_at`,
    email_tokens: `${ids}, '\\x00'::bytea AS token_hash, 'verify' AS purpose, ${email} AS email, ${player} AS player_id,
                   now() + interval '1 day' AS expires_at`,
    one_time_codes: `${ids}, ${email} AS email, gen_random_uuid() AS id, 0 AS tries, now() AS sent_at, now() AS expires_at`,
    session_rollups: `${ids}, ${hour} + interval '1 hour' AS rolled_up_to, 1 AS numbered_players`,
    event_rollups: `${ids}, 'player' AS scope, 'hour' AS span, false AS is_total, ${hour} AS starts_at, gen_random_uuid() AS definition_id, 1 AS events,
                    0 AS value_count`,
    // Of another tenant, because there are no files.
    event_archives: `gen_random_uuid() AS tenant_id, 'player' AS scope, '2000-01-01'::date AS month, 1 AS part, 1 AS rows, 1 AS bytes, now() AS first_at,
                     now() AS last_at, '\\x00'::bytea AS manifest_hash, now() AS archived_at`,
    rejected_events: `${ids}, now()::date AS day, gen_random_uuid() AS id, 'player' AS scope, 400 AS status_code, 'x' AS error, 1 AS events,
                      now() AS first_seen_at, now() AS last_seen_at, ${key} AS last_key_id`,
    login_rollups: `${ids}, 'hour' AS span, ${hour} AS starts_at, 'PC_Windows' AS platform, 'Mock' AS auth_provider, 1 AS logins`,
    logout_rollups: `${ids}, 'hour' AS span, ${hour} AS starts_at, 1 AS logouts`,
    player_rollups: `${ids}, 'hour' AS span, ${hour} AS starts_at, 0 AS page, 1::bit(4096) AS players`,
    player_numbers: `${ids}, ${player} AS player_id, 0 AS number`,
    usage_allowances: `gen_random_uuid() AS workspace_id, 0 AS slot, now()::date AS period_start, 1 AS units_left`,
    usage_totals: `${ids}, now()::date AS day, ${key} AS key_id, 1 AS units, 1 AS bytes_in, 1 AS bytes_out`,
    usage_days: `${ids}, now()::date AS day, 1 AS units, 1 AS bytes_in, 1 AS bytes_out`,
    usage_warnings: `${ids}, now()::date AS period_start, 1 AS monthly_units, 75 AS percent, 1 AS used`,
    webhook_attempts: `(SELECT id FROM webhook_deliveries LIMIT 1) AS delivery_id, 1 AS number, now() AS started_at`,
  };
  const columns = Map.groupBy(await listColumns(owner), ({ table }) => table);
  for (const [table, row] of Object.entries(rows)) {
    const names = columns
      .get(table)!
      .map(({ name }) => name)
      .filter((name) => row.includes(` AS ${name}`));
    await owner.query(
      `INSERT INTO ${table} (${names.join(', ')}) SELECT ${names.join(', ')} FROM (SELECT ${row}) filled ON CONFLICT DO NOTHING`,
    );
  }
}

/** Drops all foreign keys, because copies refer to rows that are not copied. Returns a function that adds them again. */
export async function dropForeignKeys(owner: pg.Pool): Promise<() => Promise<void>> {
  const { rows } = await owner.query<{ table: string; name: string; definition: string }>(
    `SELECT conrelid::regclass::text AS table, conname AS name, pg_get_constraintdef(oid) AS definition
     FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace AND conparentid = 0`,
  );
  for (const { table, name } of rows) await owner.query(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`);
  return async () => {
    for (const { table, name, definition } of rows)
      await owner.query(`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition} NOT VALID`);
  };
}
