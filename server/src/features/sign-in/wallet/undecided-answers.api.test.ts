import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { arrangePlan, arrangeTenant } from '../../../testing/arrange.ts';
import { serveOnLoopback } from '../../../testing/loopback-server.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { signChallenge, someWallet } from '../../../testing/wallets.ts';

const node = await serveOnLoopback((_request, response) => void response.writeHead(500).end());
const app = await startTestApp({ env: { WALLET_RPC_URLS: `1=${node}` } });
const tenant = await arrangeTenant(app, { providers: ['EvmWallet'] });

const verify = ({ message, signature }: { message: string; signature: string }) =>
  app.http.post('/api/player-auth/wallet/verify', { message, signature }, tenant);
const answer = ({ challengeId, signature }: { challengeId: string; signature: string }) =>
  app.http.post('/api/player-auth/challenge/verify', { challengeId, response: signature }, tenant);

describe('an answer to a wallet challenge that cannot be decided', () => {
  for (const [path, send] of Object.entries({ '/wallet/verify': verify, '/challenge/verify': answer })) {
    test(`keeps the challenge if the node of the chain does not answer: ${path}`, async () => {
      const signed = await signChallenge(app, tenant);
      const undecided = await send({ ...signed, signature: '0x00' });
      assert.deepEqual([undecided.status, undecided.body.code], [502, 'provider_unavailable']);
      assert.equal((await send(signed)).status, 200);
      assert.equal((await send(signed)).status, 401, 'the sign-in uses it up');
    });
  }

  test('keeps the challenge if the hard stop of the plan refuses the sign-in', async () => {
    const signed = await signChallenge(app, tenant);
    await arrangePlan(app, tenant, { monthlyUnits: 0, hardStop: true });
    const refused = await verify(signed);
    await arrangePlan(app, tenant, { monthlyUnits: null, hardStop: false });
    assert.deepEqual([refused.status, refused.body.code], [429, 'quota_exceeded']);
    assert.equal((await verify(signed)).status, 200);
  });

  test('does not extend the life of the challenge', async () => {
    const signed = await signChallenge(app, tenant);
    const expiry = async () => {
      const { rows } = await app.owner.query('SELECT expires_at FROM wallet_challenges WHERE id = $1', [
        signed.challengeId,
      ]);
      return rows[0].expires_at;
    };
    const before = await expiry();
    assert.equal((await verify({ ...signed, signature: '0x00' })).status, 502);
    assert.deepEqual(await expiry(), before);
  });

  test('keeps the challenge if too many sign-ins of the player wait', async () => {
    const wallet = someWallet();
    const { playerId } = (await verify(await signChallenge(app, tenant, wallet))).body;
    // One sign-in of a player runs and 100 wait, so one of these is refused.
    const signed = await Promise.all(Array.from({ length: 102 }, () => signChallenge(app, tenant, wallet)));
    const lock = await app.owner.connect();
    try {
      await lock.query('BEGIN');
      await lock.query('SELECT FROM players WHERE id = $1 FOR UPDATE', [playerId]);
      const sent = signed.map(async (each) => ({ each, ...(await verify(each)) }));
      const refused = await Promise.race(sent);
      assert.deepEqual([refused.status, refused.body.code], [503, 'busy']);
      await lock.query('ROLLBACK');
      const answers = await Promise.all(sent);
      assert.equal(answers.filter(({ status }) => status === 200).length, 101);
      assert.equal((await verify(refused.each)).status, 200);
    } finally {
      lock.release();
    }
  });
});
