import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type pg from 'pg';
import { startTestApp } from '../testing/test-app.ts';
import { distributedTables } from './citus.ts';

const app = await startTestApp();

/**
 * Unique indexes of tables of tenants that do not have the tenant, each with the reason. A cluster could not distribute these tables by
 * tenant (docs/decisions/0064-citus.md).
 */
const WITHOUT_TENANT: Record<string, string> = {
  'tenant_keys: the unique index tenant_keys_fingerprint_key has no tenant_id': 'a key is found by it alone',
  'tenant_keys: the unique index tenant_keys_pkey has no tenant_id': 'other tables refer to a key',
};

describe('the check of the schema for Citus', () => {
  test('finds only the known exceptions', async () => {
    const client = await app.owner.connect();
    try {
      assert.deepEqual(await findProblems(client), Object.keys(WITHOUT_TENANT).toSorted());
    } finally {
      client.release();
    }
  });

  const broken: { name: string; change: string; problem: string }[] = [
    {
      name: 'a tenant that may be null',
      change:
        'ALTER TABLE player_events DROP CONSTRAINT player_events_pkey, ALTER tenant_id DROP NOT NULL, ADD PRIMARY KEY (occurred_at, id)',
      problem: 'player_events: has no column tenant_id that is NOT NULL',
    },
    {
      name: 'no primary key',
      change: 'ALTER TABLE match_events DROP CONSTRAINT match_events_pkey',
      problem: 'match_events: has no primary key, by which its shards can move',
    },
    {
      name: 'a unique index of events without the tenant',
      change: 'CREATE UNIQUE INDEX by_id ON match_events (occurred_at, id)',
      problem: 'match_events: the unique index by_id has no tenant_id',
    },
    {
      name: 'a unique index of another table of tenants without the tenant',
      change: 'CREATE UNIQUE INDEX by_name ON player_notes (id)',
      problem: 'player_notes: the unique index by_name has no tenant_id',
    },
    {
      name: 'a foreign key from events',
      change: 'ALTER TABLE match_events ADD CONSTRAINT of_tenant FOREIGN KEY (tenant_id) REFERENCES tenants',
      problem: 'match_events: has the foreign key of_tenant',
    },
    {
      name: 'a trigger',
      change: `CREATE TRIGGER counts AFTER INSERT ON player_events FOR EACH ROW EXECUTE FUNCTION guildhall_notify_change('id')`,
      problem: 'player_events: has the trigger counts',
    },
    {
      name: 'a policy that distributeEvents does not replace',
      change: 'CREATE POLICY peeks ON match_events USING (tenant_id = (SELECT guildhall_tenant()))',
      problem: 'match_events: the policy peeks has a sub-select',
    },
  ];
  for (const { name, change, problem } of broken)
    test(`finds ${name}`, async () => {
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

/** Lists what Citus would refuse when it distributes the events, and what would keep other tables of tenants from a later step. */
async function findProblems(db: pg.ClientBase): Promise<string[]> {
  const { rows } = await db.query<{ problem: string }>(
    `WITH relation AS (
       SELECT oid, relname, relname = ANY ($1) AS is_distributed,
              EXISTS (SELECT FROM pg_attribute WHERE attrelid = pg_class.oid AND attname = 'tenant_id' AND attnotnull) AS has_tenant
       FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition)
     SELECT concat(relname, ': has no column tenant_id that is NOT NULL') AS problem
     FROM relation WHERE is_distributed AND NOT has_tenant
     UNION ALL
     SELECT concat(relname, ': has no primary key, by which its shards can move')
     FROM relation WHERE is_distributed AND NOT EXISTS (SELECT FROM pg_index WHERE indrelid = relation.oid AND indisprimary)
     UNION ALL
     SELECT concat(relname, ': the unique index ', indexrelid::regclass, ' has no tenant_id')
     FROM relation JOIN pg_index ON indrelid = relation.oid
     WHERE has_tenant AND indisunique AND NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = indexrelid AND attname = 'tenant_id')
     UNION ALL
     SELECT concat(relname, ': has the foreign key ', conname)
     FROM relation JOIN pg_constraint ON relation.oid IN (conrelid, confrelid) WHERE is_distributed AND contype = 'f' AND conparentid = 0
     UNION ALL
     SELECT concat(relname, ': has the trigger ', tgname)
     FROM relation JOIN pg_trigger ON tgrelid = relation.oid WHERE is_distributed AND NOT tgisinternal
     UNION ALL
     SELECT concat(relname, ': the policy ', polname, ' has a sub-select')
     FROM relation JOIN pg_policy ON polrelid = relation.oid
     WHERE is_distributed AND polname <> 'tenant_isolation'
       AND concat(pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid)) ~ 'SELECT'
     ORDER BY 1`,
    [distributedTables],
  );
  return rows.map(({ problem }) => problem);
}
