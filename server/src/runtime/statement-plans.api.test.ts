import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import pg from 'pg';
import { startEmbeddedServer } from '../database/embedded/embedded-server.ts';
import { arrangeAccount, arrangePlatformAdmin, arrangeProvider, arrangeTenant } from '../testing/arrange.ts';
import { findShardProblems, listDistributedTables } from '../testing/distributed-tables.ts';
import { accountRules, operationsOf, sendByRule } from '../testing/account-operations.ts';
import { PLAYER_ENVIRONMENT, PROVIDERS, usePlayerOperations } from '../testing/player-operations.ts';
import { startStoreAOpenId } from '../testing/providers/store-a-openid.ts';
import { startWalletIssuer } from '../testing/providers/wallet-issuer.ts';
import { dropForeignKeys, fillEmptyTables, listSmallTables, replicateRows } from '../testing/row-replicas.ts';
import { AUTO_EXPLAIN, largestRead, onStatement, type Read } from '../testing/statement-plans.ts';
import { startTestApp, type TestApp } from '../testing/test-app.ts';
import type { WalletTenant } from '../testing/wallet-recording.ts';
import { prepareDatabase } from './prepare-database.ts';

// Every operation runs beside thousands of rows of the same tenant and of others. PostgreSQL reports the plan of each statement that
// it executed, even in functions and triggers. No node of a plan reads more rows than a request asks for
// (docs/decisions/0042-plans-without-statistics.md).

/** The largest page has 200 rows. One player or one match of the test has fewer rows. */
const MAX_ROWS = 200;

/** How often the rows of the first requests are copied: into the same tenant, and each into a tenant of its own. */
const COPIES = 1000;

/** Statements that read more, by a part of their text: how much, and why. */
const LARGE_READS: { text: string; rows?: number; why: string }[] = [
  { text: 'FROM usage_entries', why: 'the worker moves the entries into totals every few seconds' },
  {
    text: 'FROM (SELECT FROM mails LIMIT',
    rows: 10_000,
    why: 'a platform admin asks for the number of mails, at most 10,000',
  },
  {
    text: 'FROM (SELECT created_at, sent_at, failed_at, failure FROM mails',
    rows: 1_000,
    why: 'the metrics read the last 1,000 mails, by their index',
  },
  {
    text: 'FROM ( SELECT DISTINCT ON (webhook_id)',
    rows: 1_000,
    why: 'the metrics read the last 1,000 deliveries of webhooks, by their index',
  },
  {
    text: 'SELECT count(*) FROM ( SELECT * FROM alerts',
    rows: 10_000,
    why: 'a list with the number of alerts, at most 10,000',
  },
  { text: 'SELECT count(*) FROM event_definitions', why: 'a list with the number of definitions' },
  { text: 'octet_length(concat(event_key', why: 'an export looks at the texts of all definitions first' },
  {
    text: 'FROM ( SELECT * FROM event_definitions',
    why: 'a tenant has at most 20,000 definitions, and few lists of them',
  },
  { text: 'FROM rejected_events WHERE tenant_id', why: 'a tenant has about 100 groups a day, for 8 days' },
  { text: 'WITH event AS MATERIALIZED', rows: 500, why: 'an export reads chunks of 500 events' },
  {
    text: 'FROM pgboss.queue, LATERAL',
    rows: 10_000,
    why: 'the metrics count at most 10,000 waiting jobs of a queue, by its index',
  },
  { text: 'WITH login AS MATERIALIZED', why: 'a request for the analytics of a range that is not rolled up' },
];

const METRICS_TOKEN = 'm'.repeat(32);
const store = await startStoreAOpenId();
const issuer = await startWalletIssuer();

/** The largest read of each statement since the last time they were listed. Whole plans would take hundreds of megabytes. */
let largestReads = new Map<string, Read>();
let executions = 0;
const texts = new Set<string>();
onStatement(({ text, plan }) => {
  const read = largestRead(plan);
  if (read.rows > (largestReads.get(text)?.rows ?? -1)) largestReads.set(text, read);
  executions++;
  texts.add(text);
});

const folder = await mkdtemp(join(tmpdir(), 'guildhall-plans-'));
const server = await startEmbeddedServer(folder, { ...AUTO_EXPLAIN, fsync: 'off', autovacuum: 'off' });
after(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

type PlanCache = 'force_custom_plan' | 'force_generic_plan';

/** A migrated database with one tenant that has used every operation. */
async function arrangeDatabase(name: string) {
  const admin = new pg.Client({ connectionString: server.url('postgres') });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  await admin.end();
  const url = server.url(name);
  await prepareDatabase(url);
  const owner = new pg.Pool({ connectionString: url, max: 1 });
  // The server may stop while the pool ends.
  owner.on('error', () => {});
  after(() => owner.end());
  const addForeignKeys = await dropForeignKeys(owner);

  const startApp = async (planCache: PlanCache): Promise<TestApp> => {
    await owner.query(`ALTER DATABASE ${name} SET plan_cache_mode = ${planCache}`);
    const env = { ...PLAYER_ENVIRONMENT, STORE_A_OPENID_URL: store.url, METRICS_TOKEN };
    return startTestApp({ databaseUrl: url, env });
  };
  const first = await startApp('force_generic_plan');
  const arrangeWalletTenant = async (): Promise<WalletTenant> => {
    const tenant = { ...(await arrangeTenant(first, { providers: PROVIDERS, autoCreate: true })), issuer };
    await arrangeProvider(first, tenant, 'WalletJwt', { issuer: issuer.issuer, audience: issuer.audience });
    return tenant;
  };
  const tenant = await arrangeWalletTenant();
  await useEverything(first, tenant);
  await fillEmptyTables(owner, tenant);
  return {
    owner,
    first,
    tenant,
    startApp,
    arrangeWalletTenant,
    /** Adds the rows of others. */
    async fill() {
      await owner.query(`INSERT INTO pgboss.job (name) SELECT 'mail' FROM generate_series(1, ${COPIES})`);
      await replicateRows(owner, { tenant: 'same', copies: COPIES });
      await replicateRows(owner, { tenant: 'own', copies: COPIES });
      await addForeignKeys();
    },
  };
}

/** Sends every operation, and fails if one of the OpenAPI document was not accepted. */
async function useEverything(app: TestApp, tenant: WalletTenant): Promise<void> {
  const accounts = {
    owner: await arrangeAccount(app, tenant, 'owner'),
    platformAdmin: await arrangePlatformAdmin(app),
  };
  await usePlayerOperations(app, { tenant, store, reader: accounts.owner });
  const rules = accountRules(app, accounts);
  const { body: document } = await app.http.get('/openapi.json');
  // These two end the work of the tenant.
  const last = ['updateProvider', 'disableTenant'];
  const operations = operationsOf(document).toSorted(
    (a, b) => last.indexOf(a.operationId) - last.indexOf(b.operationId),
  );
  const scene = { tenant, email: `${accounts.owner.accountId}@example.com` };
  for (const operation of operations) {
    const rule = rules[operation.operationId];
    if (!rule) continue;
    const caller = rule.needs === 'platformAdmin' ? accounts.platformAdmin : accounts.owner;
    const { status, text } = await sendByRule(app, operation, rule, scene, caller);
    assert.ok(status < 300, `${operation.operationId}: ${text}`);
  }
  await app.owner.query('UPDATE tenants SET disabled_at = NULL WHERE id = $1', [tenant.tenantId]);
  // A chart of one key, beside the roll-ups of a thousand other definitions.
  for (const bucket of ['hour', 'day']) {
    const from = new Date(Date.now() - COPIES * 3_600_000).toISOString();
    const { status, text } = await app.http.get(
      `/api/bus_tenants/${tenant.tenantId}/events/summary?scope=player&from=${from}&bucket=${bucket}&eventKey=climb`,
      accounts.owner,
    );
    assert.ok(status < 300, `getEventSummary: ${text}`);
  }
  await app.owner.query('UPDATE provider_settings SET enabled = true WHERE tenant_id = $1', [
    tenant.tenantId,
  ]);

  // A response is counted after it was sent.
  await app.http.get('/metrics', { bearer: METRICS_TOKEN });
  const { text } = await app.http.get('/metrics', { bearer: METRICS_TOKEN });
  const accepted = new Set(
    [...text.matchAll(/duration_seconds_count\{operation="(\w+)",status="[23]/g)].map(([, id]) => id),
  );
  const missing = operations.map(({ operationId }) => operationId).filter((id) => !accepted.has(id));
  assert.deepEqual(missing, [], 'every operation is sent and accepted');
}

const usedExceptions = new Set<string>();

/** Lists the statements that read too much. */
async function findLargeReads(work: () => Promise<void>): Promise<string[]> {
  largestReads = new Map();
  executions = 0;
  await work();
  assert.ok(executions > 1000, `PostgreSQL reported ${executions} plans`);
  const found = new Map<string, string>();
  for (const [text, { rows, node }] of largestReads) {
    if (rows <= MAX_ROWS) continue;
    const statement = text.replaceAll(/\s+/g, ' ').trim();
    const exception = LARGE_READS.find((one) => statement.includes(one.text));
    if (exception && rows <= (exception.rows ?? Infinity)) {
      usedExceptions.add(exception.text);
      continue;
    }
    const where = ['Node Type', 'Relation Name', 'Index Name', 'Index Cond'] as const;
    const reader = where
      .map((key) => node[key] ?? '')
      .join(' ')
      .trim();
    found.set(statement, `${rows} rows by ${reader}: ${statement.slice(0, 200)}`);
  }
  return [...found.values()];
}

describe('the statements of all operations read no rows of others', async () => {
  const fresh = await arrangeDatabase('fresh');
  const known = await arrangeDatabase('known');

  test('with plans that were made while all tables were empty', async () => {
    await fresh.fill();
    assert.deepEqual(await listSmallTables(fresh.owner, COPIES), []);
    assert.deepEqual(await findLargeReads(() => useEverything(fresh.first, fresh.tenant)), []);
  });

  test('without statistics', async () => {
    const app = await fresh.startApp('force_custom_plan');
    assert.deepEqual(await findLargeReads(() => useEverything(app, fresh.tenant)), []);
  });

  test('with generic plans and statistics of a thousandth of the rows', async () => {
    await known.owner.query('ANALYZE');
    await known.fill();
    const app = await known.startApp('force_generic_plan');
    assert.deepEqual(await findLargeReads(() => useEverything(app, known.tenant)), []);
  });

  test('with statistics of a thousandth of the rows', async () => {
    const app = await known.startApp('force_custom_plan');
    assert.deepEqual(await findLargeReads(() => useEverything(app, known.tenant)), []);
  });

  test('with statistics of a huge tenant and a thousand small ones', async () => {
    await known.owner.query('ANALYZE');
    const small = await known.arrangeWalletTenant();
    const app = await known.startApp('force_custom_plan');
    for (const tenant of [known.tenant, small])
      assert.deepEqual(await findLargeReads(() => useEverything(app, tenant)), []);
  });

  test('name the tenant of the events, so that Citus runs them on one node', async () => {
    const tables = await listDistributedTables(fresh.owner);
    const found: string[] = [];
    for (const text of texts) {
      const problems = await findShardProblems(text, tables);
      if (problems.length > 0)
        found.push(`${problems.join(', ')}: ${text.replaceAll(/\s+/g, ' ').trim().slice(0, 500)}`);
    }
    assert.deepEqual(found, []);
  });

  test('has no unused exception', () => {
    assert.deepEqual(
      LARGE_READS.map(({ text }) => text).filter((text) => !usedExceptions.has(text)),
      [],
    );
  });
});
