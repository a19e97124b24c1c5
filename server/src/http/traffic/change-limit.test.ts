import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { createAttemptBudgets } from '../../security/attempt-budget.ts';
import { withCredential, type Credential } from '../credentials/credential-scope.ts';
import { createHttpServer } from '../server.ts';
import { createChangeLimit } from './change-limit.ts';
import type { RateLimiter } from './rate-limit.ts';

const verdict = { admitted: true, window: '10 seconds' as const, limit: 9, remaining: 9, resetSeconds: 1 };
const rateLimits: RateLimiter = { count: () => verdict, countKeyless: async () => verdict };
const account: Credential = {
  security: [{ account: [] }],
  async authenticate(request) {
    const accountId = String(request.headers['x-account']);
    request.accountCaller = { accountId, sessionId: accountId, expiresAtMs: Infinity };
  },
  async authorize() {},
};

/** The changes of a day, and how many are enough for a test. */
const BUDGETS: Record<string, [number, number]> = {
  'changes:account': [50_000, 3],
  'changes:network': [500_000, 5],
  'changes:network:site': [4_000_000, 8],
};

/** Starts a server on which an account can make 3 changes a day, and a network 5. */
async function serve() {
  const createBudget = createAttemptBudgets();
  const countChange = createChangeLimit((options) => {
    const [attempts, fewer] = BUDGETS[options.name]!;
    assert.deepEqual([options.attempts, options.seconds], [attempts, 24 * 60 * 60]);
    return createBudget({ ...options, attempts: fewer });
  });
  const app = await createHttpServer({ logger: false, trustProxy: true, corsOrigins: [] });
  after(() => app.close());
  await withCredential(app, account, { rateLimits, confirm: async () => {}, countChange }, [
    async (scope) => {
      scope.get('/:tenantId', { config: { role: 'admin' } }, async () => ({}));
      scope.post('/:tenantId', { config: { role: 'admin' } }, async () => ({}));
      scope.post('/:tenantId/queries', { config: { role: 'viewer' } }, async () => ({}));
      scope.put('/me', async () => ({}));
    },
  ]);
  return async (method: 'GET' | 'POST' | 'PUT', url: string, by: string, from = '203.0.113.7') =>
    app.inject({ method, url, headers: { 'x-account': by, 'x-forwarded-for': from } });
}

describe('createChangeLimit', () => {
  test('refuses further changes of an account, and neither reads nor other accounts', async () => {
    const send = await serve();
    for (const [method, url] of [
      ['POST', '/game'],
      ['PUT', '/me'],
      ['POST', '/game'],
    ] as const)
      assert.equal((await send(method, url, 'a')).statusCode, 200);
    const refused = await send('PUT', '/me', 'a');
    assert.deepEqual([refused.statusCode, refused.json().code], [429, 'too_many_attempts']);
    assert.match(refused.json().detail, /^This account can make at most 50000 changes in 24 hours\./);
    assert.ok(Number(refused.headers['retry-after']) > 86_000);
    assert.equal((await send('GET', '/game', 'a')).statusCode, 200);
    assert.equal((await send('POST', '/game/queries', 'a')).statusCode, 200);
    assert.equal((await send('POST', '/game', 'b')).statusCode, 200);
  });

  test('refuses further changes of all accounts of a network', async () => {
    const send = await serve();
    for (const by of ['a', 'b', 'c', 'd', 'e']) assert.equal((await send('PUT', '/me', by)).statusCode, 200);
    const refused = await send('PUT', '/me', 'f');
    assert.equal(refused.statusCode, 429);
    assert.match(refused.json().detail, /^This network can make at most 500000 changes/);
    assert.equal((await send('PUT', '/me', 'f', '198.51.100.7')).statusCode, 200);
  });

  test('counts a refused change neither for the network nor for the account', async () => {
    const send = await serve();
    for (const by of ['a', 'a', 'a', 'b']) assert.equal((await send('PUT', '/me', by)).statusCode, 200);
    for (let count = 0; count < 5; count++) assert.equal((await send('PUT', '/me', 'a')).statusCode, 429);
    assert.equal((await send('PUT', '/me', 'c')).statusCode, 200, 'the last change of the network');

    for (let count = 0; count < 5; count++) assert.equal((await send('PUT', '/me', 'd')).statusCode, 429);
    const elsewhere = '198.51.100.7';
    assert.equal((await send('PUT', '/me', 'd', elsewhere)).statusCode, 200);
  });
});
