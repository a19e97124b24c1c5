import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type pg from 'pg';
import { distributionColumns, placementOf, placements } from '../testing/table-placements.ts';
import { startTestApp } from '../testing/test-app.ts';

const app = await startTestApp();

const NOTIFIES =
  'processes listen to the coordinator alone, so the application would have to notify them there';
const FOR_PLAYERS = 'the scope of a player finds its rows by an address or a tenant that another table knows';
const FOR_MEMBERS = 'an account reads what its membership allows';

/** The properties of the schema that a cluster would refuse today, each with its reason. */
const KNOWN: Record<string, string> = {
  'accounts: the policy read_in_team reads another table': FOR_MEMBERS,
  'devices: has the trigger bound_devices': 'it sees every way to a new device (decision 0036)',
  'event_rollup_deltas: has no primary key, by which its shards can move':
    'an index less for each stored event; REPLICA IDENTITY FULL is enough',
  'event_definitions: has the trigger notify_change': NOTIFIES,
  'one_time_codes: the policy own_rows reads another table': FOR_PLAYERS,
  'provider_settings: has the trigger notify_change': NOTIFIES,
  'tenant_keys: has the trigger notify_change': NOTIFIES,
  'tenant_keys: the policy read_in_workspace reads another table': FOR_MEMBERS,
  'tenant_sign_in_methods: has the trigger count_added_users': 'it counts exactly (decision 0063)',
  'tenant_sign_in_methods: has the trigger count_moved_users': 'a merge moves rows by a foreign key',
  'tenant_sign_in_methods: has the trigger count_removed_users': 'a foreign key deletes rows',
  'tenants: has the trigger notify_change': NOTIFIES,
  'tenants: has the trigger notify_deletion': NOTIFIES,
  'tenants: the policy read_visited reads another table': FOR_PLAYERS,
  'workspaces: has the trigger notify_change': NOTIFIES,
  'workspaces: has the trigger reset_allowances': 'an operator changes a plan by SQL',
  'workspaces: the policy read_by_members reads another table': FOR_MEMBERS,
};

describe('a cluster could distribute the schema', () => {
  test('with no other problems than the known ones', async () => {
    const client = await app.owner.connect();
    try {
      assert.deepEqual(await findProblems(client), Object.keys(KNOWN).toSorted());
    } finally {
      client.release();
    }
  });

  const broken: { name: string; change: string; problem: string }[] = [
    {
      name: 'a table without a place',
      change: 'CREATE TABLE stray (id uuid PRIMARY KEY)',
      problem: 'stray: has no place',
    },
    {
      name: 'a place without a table',
      change: 'DROP TABLE chain_heads',
      problem: 'chain_heads: does not exist',
    },
    {
      name: 'a table without its distribution column',
      change: 'ALTER TABLE player_bans DROP COLUMN tenant_id CASCADE',
      problem: 'player_bans: has no column tenant_id that is NOT NULL',
    },
    {
      name: 'a distribution column that may be null',
      change: 'ALTER TABLE event_rollup_deltas ALTER tenant_id DROP NOT NULL',
      problem: 'event_rollup_deltas: has no column tenant_id that is NOT NULL',
    },
    {
      name: 'a primary key without the distribution column',
      change: 'ALTER TABLE player_bans DROP CONSTRAINT player_bans_pkey, ADD PRIMARY KEY (id)',
      problem: 'player_bans: the unique index player_bans_pkey has no tenant_id',
    },
    {
      name: 'no primary key',
      change: 'ALTER TABLE player_bans DROP CONSTRAINT player_bans_pkey',
      problem: 'player_bans: has no primary key, by which its shards can move',
    },
    {
      name: 'a unique index without the distribution column',
      change: 'CREATE UNIQUE INDEX by_fingerprint ON devices (device_fingerprint)',
      problem: 'devices: the unique index by_fingerprint has no player_id',
    },
    {
      name: 'a foreign key of two tenants',
      change: `ALTER TABLE match_sessions ADD CONSTRAINT once UNIQUE (id, tenant_id);
               ALTER TABLE player_notes ADD other_tenant uuid,
               ADD CONSTRAINT crossing FOREIGN KEY (id, other_tenant) REFERENCES match_sessions (id, tenant_id)`,
      problem: 'player_notes: the foreign key crossing leads to other shards of match_sessions',
    },
    {
      name: 'a foreign key from a tenant to a player',
      change: `ALTER TABLE login_sessions ADD CONSTRAINT crossing FOREIGN KEY (player_id, device_id) REFERENCES devices`,
      problem: 'login_sessions: the foreign key crossing leads to other shards of devices',
    },
    {
      name: 'a foreign key to the coordinator',
      change: `ALTER TABLE tenant_access ADD email text,
               ADD CONSTRAINT crossing FOREIGN KEY (email) REFERENCES email_credentials`,
      problem:
        'tenant_access: the foreign key crossing leads to email_credentials, which is on the coordinator',
    },
    {
      name: 'a foreign key from the coordinator to a shard',
      change: `ALTER TABLE mails ADD tenant_id uuid, ADD event_id uuid,
               ADD CONSTRAINT crossing FOREIGN KEY (tenant_id, event_id) REFERENCES event_definitions`,
      problem: 'mails: the foreign key crossing leads to shards of event_definitions',
    },
    {
      name: 'a trigger',
      change: `CREATE TRIGGER counts AFTER INSERT ON player_notes FOR EACH ROW EXECUTE FUNCTION guildhall_notify_change('id')`,
      problem: 'player_notes: has the trigger counts',
    },
    {
      name: 'a policy that reads another table',
      change: 'CREATE POLICY peeks ON player_notes USING (EXISTS (SELECT FROM tenants WHERE id = tenant_id))',
      problem: 'player_notes: the policy peeks reads another table',
    },
  ];
  for (const { name, change, problem } of broken)
    test(`and finds ${name}`, async () => {
      const client = await app.owner.connect();
      try {
        await client.query(`BEGIN; ${change}`);
        const problems = await findProblems(client);
        assert.ok(problems.includes(problem), problems.join('\n'));
      } finally {
        await client.query('ROLLBACK');
        client.release();
      }
    });
});

/** Lists what Citus would refuse when it distributes the tables. */
async function findProblems(db: pg.ClientBase): Promise<string[]> {
  const problems = new Set<string>();
  const read = async (statement: string) => (await db.query<Record<string, string>>(statement)).rows;
  const tables = await read(
    `SELECT relname AS table, string_agg(attname, ' ') AS "required"
     FROM pg_class LEFT JOIN pg_attribute ON attrelid = pg_class.oid AND attnotnull
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition GROUP BY 1`,
  );
  const existing = new Map(tables.map(({ table, required }) => [table!, required?.split(' ') ?? []]));
  for (const table of Object.values(placements).flat())
    if (!existing.has(table)) problems.add(`${table}: does not exist`);
  for (const [table, required] of existing) {
    const place = placementOf(table);
    if (!place) problems.add(`${table}: has no place`);
    const key = place && distributionColumns[place];
    if (key && !required.includes(key)) problems.add(`${table}: has no column ${key} that is NOT NULL`);
  }
  const keyOf = (table: string | undefined) => distributionColumns[placementOf(table!) ?? 'coordinator'];
  const isOnNodes = (table: string | undefined) => placementOf(table!) !== 'coordinator';

  const withoutPrimaryKey = await read(
    `SELECT relname AS table FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
       AND NOT EXISTS (SELECT FROM pg_index WHERE indrelid = pg_class.oid AND indisprimary)`,
  );
  for (const { table } of withoutPrimaryKey)
    if (keyOf(table)) problems.add(`${table}: has no primary key, by which its shards can move`);

  const unique = await read(
    `SELECT owner.relname AS table, index.relname AS index,
            (SELECT string_agg(attname, ' ') FROM pg_attribute WHERE attrelid = indexrelid) AS columns
     FROM pg_index JOIN pg_class owner ON owner.oid = indrelid JOIN pg_class index ON index.oid = indexrelid
     WHERE indisunique AND owner.relnamespace = 'public'::regnamespace AND NOT owner.relispartition`,
  );
  for (const { table, index, columns } of unique) {
    const key = keyOf(table);
    if (key && !columns!.split(' ').includes(key))
      problems.add(`${table}: the unique index ${index} has no ${key}`);
  }

  const foreignKeys = await read(
    `SELECT conrelid::regclass::text AS table, confrelid::regclass::text AS target, conname AS name,
            (SELECT string_agg(source.attname || '=' || target.attname, ' ')
             FROM unnest(conkey, confkey) AS pair (source, target)
             JOIN pg_attribute source ON source.attrelid = conrelid AND source.attnum = pair.source
             JOIN pg_attribute target ON target.attrelid = confrelid AND target.attnum = pair.target) AS pairs
     FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace AND conparentid = 0`,
  );
  for (const { table, target, name, pairs } of foreignKeys) {
    const place = placementOf(target!);
    const key = keyOf(table);
    const crosses = `${table}: the foreign key ${name} leads to`;
    if (place === 'coordinator' && isOnNodes(table))
      problems.add(`${crosses} ${target}, which is on the coordinator`);
    if (keyOf(target) && !key) problems.add(`${crosses} shards of ${target}`);
    if (key && keyOf(target) && !pairs!.split(' ').includes(`${key}=${keyOf(target)}`))
      problems.add(`${crosses} other shards of ${target}`);
  }

  const triggers = await read(
    `SELECT tgrelid::regclass::text AS table, tgname AS name FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
     WHERE NOT tgisinternal AND relnamespace = 'public'::regnamespace AND NOT relispartition`,
  );
  for (const { table, name } of triggers)
    if (isOnNodes(table)) problems.add(`${table}: has the trigger ${name}`);

  const policies = await read(
    `SELECT tablename AS table, policyname AS name FROM pg_policies
     WHERE schemaname = 'public' AND concat(qual, with_check) ~ '\\mFROM\\M'`,
  );
  for (const { table, name } of policies)
    if (isOnNodes(table)) problems.add(`${table}: the policy ${name} reads another table`);
  return [...problems].toSorted();
}
