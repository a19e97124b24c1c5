import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { createAttemptBudgets } from '../../../security/attempt-budget.ts';
import { openOutboundClient } from '../../../outbound/http-client.ts';
import { newStoreAUser, startStoreA } from '../../../testing/providers/store-a.ts';
import { vault } from '../../../testing/test-vault.ts';
import { createTokenVerifier } from './verify-token.ts';

const REFUSED_TOKENS = 300;

const store = await startStoreA();
const client = openOutboundClient({ publicOnly: false });
after(() => client.close());
const { appId, webApiKey } = store;
const settings = { appId, webApiKey };
const verify = createTokenVerifier({
  providerSettings: {
    require: async (tenantId) => (tenantId === 'wrong key' ? { appId, webApiKey: 'none' } : settings),
    invalidate() {},
  },
  vault,
  createBudget: createAttemptBudgets(),
  outbound: { operator: client, tenant: client },
  config: { storeAUrl: store.url, storeBUrl: undefined, allowPrivateAddresses: true },
});

const source = (tenantId: string, ipAddress: string) => ({ tenantId, workspaceId: 'studio', ipAddress });
const hostile = source('game', '198.51.100.1');
const validTicket = () => store.ticketOf(newStoreAUser());

describe('the verification of a store’s token', () => {
  test('sends at most 300 refused tokens per network, tenant and 15 minutes to the store; accepted tokens do not count', async () => {
    await Promise.all(Array.from({ length: 20 }, () => verify(hostile, 'StoreA', validTicket())));
    const before = store.requests.length;
    const codes = new Map<string, number>();
    for (let sent = 0; sent < REFUSED_TOKENS + 20; sent++)
      await verify(hostile, 'StoreA', randomBytes(8).toString('hex')).catch(({ code }: { code: string }) =>
        codes.set(code, (codes.get(code) ?? 0) + 1),
      );
    assert.deepEqual(Object.fromEntries(codes), {
      invalid_credentials: REFUSED_TOKENS,
      too_many_attempts: 20,
    });
    assert.equal(store.requests.length - before, REFUSED_TOKENS);
    await assert.rejects(verify(hostile, 'StoreA', validTicket()), { code: 'too_many_attempts' });
    for (const other of [source('other game', hostile.ipAddress), source('game', '203.0.113.1')])
      assert.equal((await verify(other, 'StoreA', validTicket())).provider, 'StoreA');
  });

  test('counts a refused key of the studio like a refused token', async () => {
    const before = store.requests.length;
    const misconfigured = source('wrong key', hostile.ipAddress);
    for (let sent = 0; sent < REFUSED_TOKENS; sent++)
      await assert.rejects(verify(misconfigured, 'StoreA', randomBytes(8).toString('hex')), {
        code: 'provider_not_available',
      });
    await assert.rejects(verify(misconfigured, 'StoreA', validTicket()), { code: 'too_many_attempts' });
    assert.equal(store.requests.length - before, REFUSED_TOKENS);
  });

  test('asks the store 30 times for one token in 15 minutes', async () => {
    const ticket = validTicket();
    const networks = Array.from({ length: 31 }, (_, number) => source('game', `192.0.2.${number}`));
    for (const other of networks.slice(0, 30)) await verify(other, 'StoreA', ticket);
    const before = store.requests.length;
    await assert.rejects(verify(networks[30]!, 'StoreA', ticket), { code: 'too_many_attempts' });
    assert.equal(store.requests.length, before);
  });

  test('counts a StoreA ticket in another letter case as the same ticket', async () => {
    const ticket = validTicket();
    const from = (number: number) => source('fourth game', `192.0.2.${number}`);
    for (let number = 0; number < 30; number++)
      await verify(from(number), 'StoreA', number % 2 ? ticket : ticket.toUpperCase());
    const before = store.requests.length;
    const mixed = `${ticket.slice(0, 120).toUpperCase()}${ticket.slice(120)}`;
    await assert.rejects(verify(from(30), 'StoreA', mixed), { code: 'too_many_attempts' });
    assert.equal(store.requests.length, before);
  });

  test('does not count a failure of the store', async () => {
    const other = source('third game', '203.0.113.2');
    const ticket = validTicket();
    store.fail({ status: 429, body: '' });
    for (let sent = 0; sent < 30; sent++)
      await assert.rejects(verify(other, 'StoreA', ticket), { code: 'provider_unavailable' });
    store.fail('never');
    assert.equal((await verify(other, 'StoreA', ticket)).provider, 'StoreA');
  });
});
