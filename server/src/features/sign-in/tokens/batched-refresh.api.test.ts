import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { openDatabase } from '../../../database/database.ts';
import { newRefreshToken } from '../../../security/refresh-tokens.ts';
import { arrangePlan, arrangePlayer, arrangeTenant, type TestTenant } from '../../../testing/arrange.ts';
import { avoidEndOf } from '../../../testing/avoid-end-of.ts';
import { billingOf } from '../../../testing/billing-of.ts';
import type { Answer } from '../../../testing/http-client.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { vault } from '../../../testing/test-vault.ts';
import { whileLocked } from '../../../testing/while-locked.ts';
import { rotateTokens } from './queries.ts';

const app = await startTestApp();
const database = openDatabase(app.databaseUrl);
after(() => database.close());
const query = async (text: string, ...values: unknown[]) => (await app.owner.query(text, values)).rows;

const refresh = (tenant: TestTenant, refreshToken: string, idempotencyKey?: string) =>
  app.http.post(
    '/api/player-auth/refresh',
    { refreshToken },
    { ...tenant, ...(idempotencyKey && { headers: { 'idempotency-key': idempotencyKey } }) },
  );

const succeeded = (answers: Answer[]) => answers.filter(({ status }) => status === 200).length;

const unitsOf = async ({ workspaceId }: TestTenant): Promise<number> => {
  const [{ units }] = await query(
    'SELECT coalesce(sum(units), 0)::int AS units FROM usage_entries WHERE workspace_id = $1',
    workspaceId,
  );
  return units;
};

async function arrangePlayers(count: number) {
  const tenant = await arrangeTenant(app);
  const players = await Promise.all(Array.from({ length: count }, () => arrangePlayer(app, tenant)));
  return { tenant, players, tokens: players.map(({ refreshToken }) => refreshToken) };
}

describe('refreshes that arrive together', () => {
  test('share transactions, and each is exchanged and charged as if alone', async () => {
    const { tenant, tokens } = await arrangePlayers(100);
    const before = await unitsOf(tenant);
    const answers = await Promise.all(tokens.map((token) => refresh(tenant, token)));
    assert.equal(succeeded(answers), 100);
    assert.equal(await unitsOf(tenant), before + 100);
    const [{ count }] = await query(
      `SELECT count(DISTINCT xmin::text)::int AS count FROM refresh_tokens
       WHERE tenant_id = $1 AND used_at IS NOT NULL`,
      tenant.tenantId,
    );
    assert.ok(count < 100, `${count} transactions`);
    const again = await Promise.all(answers.map(({ body }) => refresh(tenant, body.refreshToken)));
    assert.equal(succeeded(again), 100);
  });

  test('let one use of each token win, and do not revoke its session', async () => {
    const { tenant, tokens } = await arrangePlayers(10);
    const before = await unitsOf(tenant);
    const uses = Array.from({ length: 10 }, () => tokens).flat();
    const answers = await Promise.all(uses.map((token) => refresh(tenant, token)));
    for (const index of tokens.keys())
      assert.equal(succeeded(answers.filter((_, use) => use % 10 === index)), 1);
    assert.equal(await unitsOf(tenant), before + 10);
    const winners = answers.filter(({ status }) => status === 200);
    assert.equal(
      succeeded(await Promise.all(winners.map(({ body }) => refresh(tenant, body.refreshToken)))),
      10,
    );
  });

  test('return one token to parallel requests with the same Idempotency-Key', async () => {
    const { tenant, tokens } = await arrangePlayers(10);
    const uses = Array.from({ length: 5 }, () => tokens).flat();
    const answers = await Promise.all(
      uses.map((token, use) => refresh(tenant, token, `repeated-request-${use % 10}`)),
    );
    assert.equal(succeeded(answers), 50);
    for (const index of tokens.keys()) {
      const ofToken = answers.filter((_, use) => use % 10 === index);
      assert.equal(new Set(ofToken.map(({ body }) => body.refreshToken)).size, 1);
    }
  });

  test('do not wait for a session that another transaction has locked, and see how that transaction ends', async () => {
    const { tenant, players } = await arrangePlayers(30);
    const [locked, ...others] = players as [(typeof players)[number], ...typeof players];
    await whileLocked(
      app,
      async (holder) =>
        void (await holder.query(
          `UPDATE login_sessions SET ended_at = now(), end_reason = 'user_logout' WHERE session_id = $1`,
          [locked.sessionId],
        )),
      async (waiting, release) => {
        const late = refresh(tenant, locked.refreshToken);
        const answers = await Promise.all(others.map(({ refreshToken }) => refresh(tenant, refreshToken)));
        assert.equal(succeeded(answers), 29);
        await waiting(1);
        await release();
        assert.equal((await late).body.code, 'invalid_refresh_token');
      },
    );
  });

  test('of a locked session leave connections to other tenants', async () => {
    const [{ tenant, players }, other] = [await arrangePlayers(1), await arrangePlayers(3)];
    const [{ sessionId, refreshToken }] = players as [(typeof players)[number]];
    await whileLocked(
      app,
      async (holder) =>
        void (await holder.query('SELECT FROM login_sessions WHERE session_id = $1 FOR UPDATE', [sessionId])),
      async (waiting, release) => {
        const held = Array.from({ length: 40 }, () => refresh(tenant, refreshToken));
        await waiting(1);
        for (const token of other.tokens) assert.equal((await refresh(other.tenant, token)).status, 200);
        await release();
        assert.equal(succeeded(await Promise.all(held)), 1);
      },
    );
  });

  test('stop exactly at the hard stop of the plan', async () => {
    await avoidEndOf('month');
    const { tenant, tokens } = await arrangePlayers(40);
    await query(
      'UPDATE workspaces SET monthly_units = 55, hard_stop = true WHERE id = $1',
      tenant.workspaceId,
    );
    const answers = await Promise.all(tokens.map((token) => refresh(tenant, token)));
    assert.equal(succeeded(answers), 15);
    const refused = tokens.filter((_, index) => answers[index]!.body.code === 'quota_exceeded');
    assert.equal(refused.length, 25);
    await arrangePlan(app, tenant, { monthlyUnits: null });
    const later = await Promise.all(refused.map((token) => refresh(tenant, token)));
    assert.equal(succeeded(later), 25, 'a refused request did not use its token up');
  });
});

describe('rotateTokens', () => {
  test('exchanges one of two uses in a batch, and refuses used, ended, expired and foreign tokens', async () => {
    const { tenant, players } = await arrangePlayers(5);
    const [twice, used, ended, expired] = players as [
      (typeof players)[number],
      (typeof players)[number],
      (typeof players)[number],
      (typeof players)[number],
    ];
    const foreign = (await arrangePlayers(1)).players[0]!;
    await refresh(tenant, used.refreshToken);
    await query(
      `UPDATE login_sessions SET ended_at = now(), end_reason = 'user_logout' WHERE session_id = $1`,
      ended.sessionId,
    );
    await query('UPDATE refresh_tokens SET expires_at = now() WHERE session_id = $1', expired.sessionId);
    const billing = await billingOf(app.owner, tenant);
    const before = await unitsOf(tenant);
    const outcomes = await rotateTokens(
      database.forBatch(tenant.tenantId),
      billing,
      [twice, twice, used, ended, expired, foreign].map(({ refreshToken }) => ({
        hash: vault.fingerprint(refreshToken),
        next: newRefreshToken(vault, 'refresh'),
      })),
      'skip',
    );
    const { playerId, sessionId } = twice;
    assert.deepEqual(outcomes, [
      { playerId, sessionId },
      'contested',
      'refused',
      'refused',
      'refused',
      'refused',
    ]);
    assert.equal(await unitsOf(tenant), before + 1);
  });
});
