import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, mock, test } from 'node:test';
import { openDatabase, type Scope } from '../database/database.ts';
import { deleteOldDeliveries } from '../features/messages/webhooks/index.ts';
import { deleteOldResponses } from '../features/platform/idempotency/index.ts';
import { deleteOldNotifications } from '../features/messages/notifications/index.ts';
import { deleteExpiredThirdPartyTokens } from '../features/sign-in/assertions/index.ts';
import { deleteExpiredPortalRows, PORTAL_TENANT_ID } from '../features/sign-in/portal/index.ts';
import { deleteExpiredTokens } from '../features/sign-in/tokens/index.ts';
import { deleteExpiredAccountTokens } from '../features/studio/accounts/index.ts';
import { readConfig } from './config.ts';
import { scheduledJobs } from './scheduled-jobs.ts';
import { arrangePlayer, arrangeStoreAPlayer, arrangeTenant } from '../testing/arrange.ts';
import { EMPTY_GUID, firstIdAt } from '../core/ids.ts';
import { secondsFromNow } from '../core/timestamps.ts';
import { startTestApp } from '../testing/test-app.ts';

const app = await startTestApp();
const database = openDatabase(app.databaseUrl, { poolSize: 2 });
after(() => database.close());
const run = async (name: string, env: Record<string, string> = {}) => {
  const job = scheduledJobs(app.owner, database, readConfig(env)).find(
    (candidate) => candidate.name === name,
  );
  await job!.run();
};

test('refresh tokens that expired over a day ago are deleted, and no others', async () => {
  const tenants = [await arrangeTenant(app), await arrangeTenant(app)];
  for (const tenant of tenants) {
    for (const age of ['2 days', '1 hour', '-1 day']) {
      const { sessionId, caller } = await arrangePlayer(app, tenant);
      const wanted = { audience: 'web', includeRefreshToken: true };
      assert.equal((await app.http.post('/api/player-auth/jwt/exchange', wanted, caller)).status, 200);
      for (const table of ['refresh_tokens', 'third_party_refresh_tokens'])
        await app.owner.query(`UPDATE ${table} SET expires_at = now() - $2::interval WHERE session_id = $1`, [
          sessionId,
          age,
        ]);
    }
  }
  const signUp = { email: 'ada@example.com', password: 'a long password' };
  const account = await app.http.post('/api/saas-auth/signup', signUp);
  assert.equal(account.status, 201);
  await app.http.post('/api/saas-auth/login', signUp);
  await app.owner.query(`
    WITH old AS (UPDATE account_sessions SET created_at = now() - interval '40 days' WHERE id = (SELECT min(id::text)::uuid FROM account_sessions) RETURNING id)
    UPDATE account_refresh_tokens SET expires_at = now() - interval '10 days' FROM old WHERE session_id = old.id`);

  await app.owner.query(`
    INSERT INTO account_tokens (token_hash, account_id, purpose, expires_at)
    SELECT age::text::bytea, accounts.id, 'reset', now() - age FROM accounts, (VALUES (interval '2 days'), ('1 hour')) ages (age)`);
  await app.owner.query(`
    INSERT INTO account_totp (account_id, secret, created_at)
    SELECT id, '', now() - interval '2 days' FROM accounts`);

  await run('delete-expired-rows');

  const count = async (table: string) =>
    (await app.owner.query(`SELECT count(*)::int AS count FROM ${table}`)).rows[0].count as number;
  assert.equal(await count('refresh_tokens'), 4);
  assert.equal(await count('third_party_refresh_tokens'), 4);
  assert.equal(await count('account_refresh_tokens'), 1);
  assert.equal(await count('account_sessions'), 1);
  assert.equal(await count('account_tokens'), 2, 'with the one of the sign-up');
  assert.equal(await count('account_totp'), 0);
  const living = await app.http.post('/api/saas-auth/login', signUp);
  assert.equal(living.status, 200);
});

test('portal sessions without a valid token, and sign-ins that began over a day ago, are deleted', async () => {
  const { playerId } = await arrangeStoreAPlayer(app);
  for (const [index, age] of ['2 days', '1 hour', '-1 day'].entries()) {
    await app.owner.query(
      `WITH session AS (
         INSERT INTO portal_sessions (id, player_id, created_at) VALUES ($1, $2, now() - interval '40 days') RETURNING id),
       token AS (
         INSERT INTO portal_refresh_tokens (token_hash, session_id, expires_at)
         SELECT $3, id, now() - $4::interval FROM session)
       INSERT INTO store_a_portal_logins (state_hash, expires_at) VALUES ($3, now() - $4::interval)`,
      [randomUUID(), playerId, Buffer.of(index), age],
    );
  }

  await run('delete-expired-rows');

  for (const table of ['portal_sessions', 'portal_refresh_tokens', 'store_a_portal_logins'])
    assert.equal((await app.owner.query(`SELECT FROM ${table}`)).rowCount, 2, table);
});

/** A scope that keeps what is left after each step of a deletion: the text that the statement `left` returns. */
function watchDeletion(scope: Scope, left: string) {
  const steps: (string | null)[] = [];
  const thenLook = async <Result>(deletion: Promise<Result>) => {
    const result = await deletion;
    steps.push((await app.owner.query(left)).rows[0].left);
    return result;
  };
  const watched: Scope = {
    ...scope,
    run: (statement) => thenLook(scope.run(statement)),
    transaction: (work) => thenLook(scope.transaction(work)),
  };
  return { steps, watched };
}

for (const [table, ids, deleteExpired] of [
  ['refresh_tokens', ['session_id'], deleteExpiredTokens],
  [
    'third_party_refresh_tokens',
    ['session_id', 'family_id', 'player_id', 'audience'],
    deleteExpiredThirdPartyTokens,
  ],
] as const)
  test(`the expired ${table} of a large game are deleted in steps, the oldest first`, async () => {
    const { tenantId } = await arrangeTenant(app);
    await app.owner.query(`
      INSERT INTO ${table} (token_hash, expires_at, tenant_id, ${ids.join(', ')})
      SELECT int4send(number), now() - interval '3 days' + make_interval(secs => number), id, ${ids.map(() => 'id').join(', ')}
      FROM tenants, generate_series(1, 20001) number WHERE id = '${tenantId}'`);
    const { steps, watched } = watchDeletion(
      database.forTenant(tenantId),
      `SELECT string_agg(encode(token_hash, 'hex'), ', ') AS left FROM ${table} WHERE tenant_id = '${tenantId}'`,
    );
    await deleteExpired(watched, tenantId);
    assert.deepEqual(steps, ['00004e21', null]);
  });

test('expired tokens, sessions and sign-ins of the portal are deleted in steps', async () => {
  const { playerId } = await arrangeStoreAPlayer(app);
  await app.owner.query(`
    DELETE FROM portal_sessions;
    DELETE FROM store_a_portal_logins`);
  await app.owner.query(
    `WITH session AS (
       INSERT INTO portal_sessions (id, player_id, created_at)
       SELECT gen_random_uuid(), $1, now() - interval '40 days' FROM generate_series(1, 20001) RETURNING id),
     token AS (
       INSERT INTO portal_refresh_tokens (token_hash, session_id, expires_at)
       SELECT uuid_send(id), id, now() - interval '3 days' FROM session)
     INSERT INTO store_a_portal_logins (state_hash, expires_at) SELECT uuid_send(id), now() - interval '3 days' FROM session`,
    [playerId],
  );
  const { steps, watched } = watchDeletion(
    database.forPlatform(),
    `SELECT concat_ws(' ', (SELECT count(*) FROM portal_refresh_tokens), (SELECT count(*) FROM portal_sessions),
                      (SELECT count(*) FROM store_a_portal_logins)) AS left`,
  );
  await deleteExpiredPortalRows(watched);
  assert.deepEqual(steps, ['1 20001 20001', '0 20001 20001', '0 1 20001', '0 0 20001', '0 0 1', '0 0 0']);
});

test('expired tokens and sessions of console accounts are deleted in steps', async () => {
  const accountId = randomUUID();
  await app.owner.query(
    `INSERT INTO accounts (id, email, password_hash) VALUES ($1, 'often@example.com', '-')`,
    [accountId],
  );
  await app.owner.query('DELETE FROM account_sessions');
  await app.owner.query(
    `WITH session AS (
       INSERT INTO account_sessions (id, account_id, created_at)
       SELECT gen_random_uuid(), $1, now() - interval '40 days' FROM generate_series(1, 20001) RETURNING id),
     token AS (
       INSERT INTO account_refresh_tokens (token_hash, session_id, expires_at)
       SELECT uuid_send(id), id, now() - interval '3 days' FROM session)
     INSERT INTO account_tokens (token_hash, account_id, purpose, expires_at)
     SELECT uuid_send(id), $1, 'mfa', now() - interval '3 days' FROM session`,
    [accountId],
  );
  const { steps, watched } = watchDeletion(
    database.forPlatform(),
    `SELECT concat_ws(' ', (SELECT count(*) FROM account_refresh_tokens), (SELECT count(*) FROM account_sessions),
                      (SELECT count(*) FROM account_tokens WHERE account_id = '${accountId}')) AS left`,
  );
  await deleteExpiredAccountTokens(watched);
  assert.deepEqual(steps, [
    '1 20001 20001',
    '0 20001 20001',
    '0 1 20001',
    '0 0 20001',
    '0 0 1',
    '0 0 0',
    '0 0 0',
  ]);
});

test('old answers of a large game are deleted in steps, and no others', async () => {
  const { tenantId } = await arrangeTenant(app);
  // Every second one is old.
  await app.owner.query(
    `INSERT INTO idempotency_records (tenant_id, caller_id, operation, idempotency_key, request_hash, created_at)
     SELECT $1, $1, 'createMatch', lpad(number::text, 5, '0'), '', now() - make_interval(hours => 23 + number % 2)
     FROM generate_series(1, 40002) number`,
    [tenantId],
  );
  const { steps, watched } = watchDeletion(
    database.forTenant(tenantId),
    `SELECT concat_ws(' ', count(*) FILTER (WHERE age < interval '24 hours'), count(*) FILTER (WHERE age >= interval '24 hours')) AS left
     FROM (SELECT now() - created_at AS age FROM idempotency_records WHERE tenant_id = '${tenantId}') record`,
  );
  await deleteOldResponses(watched, tenantId);
  assert.deepEqual(steps, ['20001 10001', '20001 1', '20001 0']);
  await app.owner.query('DELETE FROM idempotency_records WHERE tenant_id = $1', [tenantId]);
});

test('rows of accounts and of the deployment are deleted, even if the steps of ten tenants fail', async (context) => {
  const tenants = await Promise.all(Array.from({ length: 10 }, () => arrangeTenant(app)));
  await app.owner.query(
    `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'disk full'; END $$;
     CREATE TRIGGER fail BEFORE DELETE ON idempotency_records FOR EACH ROW WHEN (OLD.operation = 'failing') EXECUTE FUNCTION fail()`,
  );
  context.after(() =>
    app.owner.query(
      'DROP TRIGGER fail ON idempotency_records; DROP FUNCTION fail(); DELETE FROM idempotency_records',
    ),
  );
  await app.owner.query(
    `INSERT INTO idempotency_records (tenant_id, caller_id, operation, idempotency_key, request_hash, created_at)
     SELECT id, id, operation, '', '', now() - interval '2 days'
     FROM unnest($1::uuid[], $2::text[]) AS record (id, operation)`,
    [
      [...tenants.map(({ tenantId }) => tenantId), EMPTY_GUID],
      [...tenants.map(() => 'failing'), 'rotateWebhookSecret'],
    ],
  );
  await assert.rejects(run('delete-expired-rows'), /10 of the steps failed.*disk full/);
  const { rowCount } = await app.owner.query('SELECT FROM idempotency_records WHERE tenant_id = $1', [
    EMPTY_GUID,
  ]);
  assert.equal(rowCount, 0);
});

test('old notifications and those that no list shows are deleted in steps', async () => {
  const accountId = randomUUID();
  await app.owner.query(
    `INSERT INTO accounts (id, email, password_hash) VALUES ($1, 'large@example.com', '-')`,
    [accountId],
  );
  // Their positions are the numbers.
  await app.owner.query(
    `INSERT INTO notifications (id, account_id, type, title, text, created_at)
     SELECT gen_random_uuid(), $1, 'test', number, '-', now() - CASE WHEN number <= 3 THEN interval '91 days' ELSE '0 days' END
     FROM generate_series(1, 8) number`,
    [accountId],
  );
  await app.owner.query('UPDATE notification_counts SET last_position = 10006 WHERE account_id = $1', [
    accountId,
  ]);
  const { steps, watched } = watchDeletion(
    database.forPlatform(),
    `SELECT string_agg(title, ' ' ORDER BY title) AS left FROM notifications WHERE account_id = '${accountId}'`,
  );
  await deleteOldNotifications(watched, 2);
  assert.deepEqual(steps, ['3 4 5 6 7 8', '4 5 6 7 8', '6 7 8', '7 8']);
  await app.owner.query('DELETE FROM notifications WHERE account_id = $1', [accountId]);
});

test('challenges that have expired are deleted, and no others', async () => {
  const tenants = [
    await arrangeTenant(app, { providers: ['EvmWallet'] }),
    await arrangeTenant(app, { providers: ['EvmWallet'] }),
  ];
  const address = `0x${'a'.repeat(40)}`;
  for (const tenant of tenants) {
    for (const expiry of ['-1 second', '1 minute']) {
      const { body } = await app.http.post('/api/player-auth/wallet/challenge', { address }, tenant);
      await app.owner.query('UPDATE wallet_challenges SET expires_at = now() + $2::interval WHERE id = $1', [
        body.challengeId,
        expiry,
      ]);
    }
  }

  await run('delete-expired-rows');

  const { rows } = await app.owner.query(
    'SELECT tenant_id, expires_at > now() AS "isOpen" FROM wallet_challenges ORDER BY tenant_id',
  );
  assert.deepEqual(
    rows,
    tenants
      .map(({ tenantId }) => ({ tenant_id: tenantId, isOpen: true }))
      .toSorted((a, b) => (a.tenant_id < b.tenant_id ? -1 : 1)),
  );
});

test('answers to repeatable requests are deleted after 24 hours, and no others', async () => {
  const tenants = [await arrangeTenant(app), await arrangeTenant(app)];
  for (const tenant of tenants) {
    const { playerId, caller } = await arrangePlayer(app, tenant);
    for (const age of ['24 hours', '23 hours']) {
      const headers = { 'idempotency-key': `${tenant.tenantId}:${age.slice(0, 2)}` };
      const body = { players: [{ playerId }] };
      const created = await app.http.post('/api/game/matches', body, { ...caller, headers });
      assert.equal(created.status, 201, created.text);
      await app.owner.query(
        'UPDATE idempotency_records SET created_at = now() - $2::interval WHERE idempotency_key = $1',
        [headers['idempotency-key'], age],
      );
    }
  }

  await app.owner.query(
    `INSERT INTO idempotency_records (tenant_id, caller_id, operation, idempotency_key, request_hash, created_at)
     SELECT $1, $1, 'rotateWebhookSecret', age, '', now() - age::interval
     FROM unnest(ARRAY['24 hours', '23 hours']) age`,
    [EMPTY_GUID],
  );

  await run('delete-expired-rows');

  const { rows } = await app.owner.query(
    'SELECT idempotency_key FROM idempotency_records ORDER BY tenant_id',
  );
  assert.deepEqual(
    rows.map(({ idempotency_key }) => idempotency_key),
    ['23 hours', ...tenants.map(({ tenantId }) => `${tenantId}:23`).toSorted()],
  );
});

test('signing keys that retired over a day ago are deleted, and no others', async () => {
  const add = (kid: string, retiresAt: string) =>
    app.owner.query(
      `INSERT INTO signing_keys SELECT $1, public_jwk, private_jwk, active_from - interval '9 days', ${retiresAt}
       FROM signing_keys WHERE retires_at IS NULL`,
      [kid],
    );
  await add('long retired', `now() - interval '25 hours'`);
  await add('just retired', `now() - interval '23 hours'`);
  await add('retiring', `now() + interval '1 hour'`);
  await run('delete-expired-rows');
  const { rows } = await app.owner.query(
    'SELECT kid FROM signing_keys WHERE retires_at IS NOT NULL ORDER BY kid',
  );
  assert.deepEqual(
    rows.map(({ kid }) => kid),
    ['just retired', 'retiring'],
  );
});

test('notifications of more than 90 days ago are deleted, and no others', async () => {
  const accountId = randomUUID();
  await app.owner.query(
    `INSERT INTO accounts (id, email, password_hash) VALUES ($1, 'told@example.com', '-')`,
    [accountId],
  );
  await app.owner.query(
    `INSERT INTO notifications (id, account_id, type, title, text, created_at)
     SELECT gen_random_uuid(), $1, 'test', days::text, '-', now() - make_interval(days => days)
     FROM unnest(ARRAY[89, 91]) days`,
    [accountId],
  );
  await run('delete-expired-rows');
  const { rows } = await app.owner.query('SELECT title FROM notifications');
  assert.deepEqual(rows, [{ title: '89' }]);
});

test('expired codes, expired mailed tokens, addresses that were never used, and old mails are deleted', async () => {
  const { tenantId } = await arrangeTenant(app);
  const { playerId } = await arrangePlayer(app, await arrangeTenant(app));
  await app.owner.query('DELETE FROM mails');
  await app.owner.query(
    `INSERT INTO email_credentials (email, player_id, mails_since, mails_sent)
     VALUES ('old', NULL, now() - interval '3 days', 1), ('new', NULL, now() - interval '1 day', 1),
            ('used', $1, now() - interval '3 days', 1)`,
    [playerId],
  );
  for (const [name, age] of [
    ['old', '1 minute'],
    ['new', '-1 minute'],
  ] as const) {
    for (const home of [tenantId, PORTAL_TENANT_ID])
      await app.owner.query(
        `INSERT INTO one_time_codes (tenant_id, email, id, code_hash, sent_at, expires_at)
         VALUES ($1, $2, gen_random_uuid(), '', now(), now() - $3::interval)`,
        [home, name, age],
      );
    await app.owner.query(
      `INSERT INTO email_tokens (tenant_id, token_hash, purpose, email, player_id, expires_at)
       VALUES ($1, $2::text::bytea, 'verify', $2, $4, now() - $3::interval)`,
      [tenantId, name, age, playerId],
    );
  }
  await app.owner.query(
    `INSERT INTO mails (id, recipient, subject, created_at, give_up_at)
     SELECT gen_random_uuid(), 'ada@example.com', days::text, now() - make_interval(days => days), now()
     FROM unnest(ARRAY[6, 8]) days`,
  );
  await app.owner.query(
    `INSERT INTO mail_budgets SELECT hours::text, now() - make_interval(hours => hours), 1 FROM unnest(ARRAY[-25, 23, 25]) hours`,
  );

  await run('delete-expired-rows');
  await run('delete-old-mails');

  const left = async (table: string, column: string) =>
    (await app.owner.query(`SELECT ${column} AS name FROM ${table} ORDER BY 1`)).rows.map(({ name }) => name);
  assert.deepEqual(await left('email_credentials', 'email'), ['new', 'used']);
  assert.deepEqual(await left('one_time_codes', 'email'), ['new', 'new']);
  assert.deepEqual(await left('email_tokens', 'email'), ['new']);
  assert.deepEqual(await left('mails', 'subject'), ['6']);
  assert.deepEqual(await left('mail_budgets', 'budget'), ['23']);
});

test('webhook deliveries of over 30 days ago are deleted with their attempts, and no others', async (context) => {
  const { workspaceId } = await arrangeTenant(app);
  await app.owner.query(
    `INSERT INTO webhooks (id, workspace_id, url, secret) VALUES ($1, $1, 'https://example.com', '')`,
    [workspaceId],
  );
  const times = [-60, 60].map((seconds) => secondsFromNow(-30 * 86_400 + seconds));
  const [old, recent] = times.map((time) => firstIdAt(time, 0));
  for (const [index, id] of [old, recent].entries()) {
    await app.owner.query(
      `INSERT INTO webhook_deliveries (id, webhook_id, event_type, body, created_at) VALUES ($1, $2, 'webhook.test', '{}', $3)`,
      [id, workspaceId, times[index]],
    );
    await app.owner.query('INSERT INTO webhook_attempts (delivery_id, number) VALUES ($1, 1)', [id]);
    await app.owner.query(
      `INSERT INTO webhook_redeliveries (id, webhook_id, status, delivery_ids, total, created_at, ended_at)
       VALUES ($1, $2, 'completed', '{}', 0, $3, $3)`,
      [id, workspaceId, times[index]],
    );
  }
  const left = async () => {
    const { rows } = await app.owner.query(
      `SELECT (SELECT array_agg(id) FROM webhook_deliveries) AS deliveries,
              (SELECT array_agg(delivery_id) FROM webhook_attempts) AS attempts,
              (SELECT array_agg(id) FROM webhook_redeliveries) AS redeliveries`,
    );
    return rows[0];
  };
  const expected = { deliveries: [recent], attempts: [recent], redeliveries: [recent] };
  await run('delete-old-webhook-deliveries');
  assert.deepEqual(await left(), expected);
  mock.timers.enable({ apis: ['Date'], now: Date.now() + 100 * 86_400_000 });
  context.after(() => mock.timers.reset());
  await run('delete-old-webhook-deliveries');
  assert.deepEqual(await left(), expected, 'the clock of the worker is ahead of that of the database');
});

test('old webhook deliveries are deleted in steps, the oldest first', async () => {
  const { workspaceId } = await arrangeTenant(app);
  await app.owner.query(
    `INSERT INTO webhooks (id, workspace_id, url, secret) VALUES ($1, $1, 'https://example.com', '')`,
    [workspaceId],
  );
  // Their ids are in the order of their numbers, and of 1970.
  await app.owner.query(
    `INSERT INTO webhook_deliveries (id, webhook_id, event_type, body, created_at)
     SELECT lpad(number::text, 32, '0')::uuid, $1, 'webhook.test', number, 'epoch' FROM generate_series(1, 5001) number`,
    [workspaceId],
  );
  const { steps, watched } = watchDeletion(
    database.forPlatform(),
    `SELECT string_agg(body, ' ') AS left FROM webhook_deliveries WHERE webhook_id = '${workspaceId}'`,
  );
  await deleteOldDeliveries(watched);
  assert.deepEqual(steps, ['5001', null, null]);
});

test('nothing is archived if the clock of the worker is ahead of that of the database', async (context) => {
  mock.timers.enable({ apis: ['Date'], now: Date.now() + 100 * 86_400_000 });
  context.after(() => mock.timers.reset());
  await run('archive-events');
  await assert.rejects(
    run('archive-events', { ARCHIVE_AFTER_MONTHS: '1', ARCHIVE_DIR: '/nonexistent' }),
    /^OperatorError: The clock of this machine is \d+ days ahead .+ ARCHIVE_AFTER_MONTHS archives nothing/,
  );
});
