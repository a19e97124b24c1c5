import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { ProblemError } from '../../core/problem.ts';
import { withCredential, type Credential } from '../credentials/credential-scope.ts';
import { meterRequests } from './metering.ts';
import type { KeyCaller } from '../../core/callers.ts';
import { billingOf } from '../request-context.ts';
import { createHttpServer } from '../server.ts';

const key = { keyId: 'key', tenantId: 'tenant', payerId: 'workspace', payerHasHardStop: false } as KeyCaller;
const noLimits = {
  rateLimits: {
    count: () => assert.fail('the credential of this test does not count'),
    countKeyless: async () => ({
      admitted: true,
      window: '10 seconds' as const,
      limit: 9,
      remaining: 9,
      resetSeconds: 1,
    }),
  },
  confirm: async () => {},
  countChange: async () => {},
};
const gameKey: Credential = {
  security: [{ gameKey: [] }],
  authenticate: (request) => void (request.keyCaller = key),
};

async function open(): Promise<FastifyInstance> {
  const app = await createHttpServer({ logger: false, trustProxy: false, corsOrigins: [] });
  after(() => app.close());
  return app;
}

describe('withCredential', () => {
  test('rejects a route that takes a key and declares no usage', async () => {
    const app = await open();
    const silent = withCredential(app, gameKey, noLimits, [
      async (scope) => void scope.get('/silent', async () => ({})),
    ]);
    await assert.rejects(silent, /\/silent must declare whether it reads or writes/);
  });
});

describe('meterRequests', () => {
  test('reports writes that are not charged exactly once, and other requests that are charged', async () => {
    const app = await open();
    const reports: string[] = [];
    const units: number[] = [];
    const meter = {
      admitRead: async () => {},
      count: (_: KeyCaller, traffic: { units: number }) => void units.push(traffic.units),
    };
    meterRequests(app, meter, (operation, what) => reports.push(`${operation}: ${what}`));
    await withCredential(app, gameKey, noLimits, [
      async (scope) => {
        for (const usage of ['read', 'write'] as const) {
          scope.get(`/${usage}/:times/:status`, { config: { usage } }, async (request, reply) => {
            const { times, status } = request.params as { times: string; status: string };
            billingOf(request).chargedTransactions = Number(times);
            if (status === '404') throw new ProblemError('not_found');
            return reply.code(Number(status)).send({});
          });
        }
      },
    ]);
    const good = ['/write/1/200', '/write/1/201', '/write/0/404', '/read/0/200', '/read/0/404'];
    for (const url of good) await app.inject(url);
    assert.deepEqual(reports, []);
    assert.deepEqual(units, [0, 0, 0, 1, 0], 'only reads are counted here');
    for (const url of ['/write/0/200', '/write/2/200', '/write/1/404', '/read/1/200']) await app.inject(url);
    assert.deepEqual(reports, [
      'GET /write/:times/:status: 200 charged 0 times',
      'GET /write/:times/:status: 200 charged 2 times',
      'GET /write/:times/:status: 404 charged 1 times',
      'GET /read/:times/:status: 200 charged 1 times',
    ]);
  });
});
