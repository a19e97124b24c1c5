import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { dataFolder, startServer, type ServerProcess } from '../../../../acceptance/server-process.ts';
import { startTestChain } from '../../../testing/chain.ts';
import { eventually } from '../../../testing/eventually.ts';
import { httpClient } from '../../../testing/http-client.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { TEST_MASTER_KEY } from '../../../testing/test-vault.ts';
import {
  arrangeWalletTenant,
  someAddress,
  walletPlayer,
  WALLET_ENV,
} from '../../../testing/wallet-recording.ts';

const ROUNDS = 4;

describe('servers that write to a chain', () => {
  /**
   * Two servers write and send. Each is killed with SIGKILL at random times, also between a commit and the sending. Each answered
   * entry must be on the chain once, in order, with the answered hash.
   */
  test('lose and duplicate nothing when they are killed at random times', async () => {
    const chain = await startTestChain();
    const app = await startTestApp({ env: WALLET_ENV });
    const tenant = await arrangeWalletTenant(app);
    const folder = dataFolder();
    after(() => folder.remove());
    const env = {
      ...WALLET_ENV,
      ...chain.env,
      DATABASE_URL: app.databaseUrl,
      MASTER_KEY: TEST_MASTER_KEY,
      PUBLIC_URL: app.issuer,
    };
    const start = () => startServer({ dataDir: folder.path, env });
    const servers = await Promise.all([start(), start()]);

    /** Scores by the hashes that were answered. */
    const answered = new Map<string, number>();
    let score = 0;
    let playing = true;
    const play = async (place: number): Promise<void> => {
      const name = randomBytes(6).toString('hex');
      const body = { playerId: name, playerAddress: someAddress(), signInPassword: 'correct horse' };
      const added = await app.http.post('/api/BlockchainStorage/players/add/anon', body, tenant);
      assert.equal(added.status, 200, added.text);
      const login = await app.http.post(
        '/api/Auth/wallet/login/password',
        { playerId: name, signInPassword: 'correct horse' },
        tenant,
      );
      while (playing) {
        const { url } = servers[place % 2]!;
        const player = walletPlayer({ http: httpClient(url) }, login.body.accessToken);
        const newScore = ++score;
        const answer = await player.setScore({ newScore }).catch(() => undefined);
        if (answer?.status === 200) answered.set(answer.body.transactionHash, newScore);
        await sleep(20);
      }
    };
    const players = [0, 1, 2, 3].map(play);
    for (let round = 0; round < ROUNDS; round++) {
      await sleep(200 + 600 * Math.random());
      const victim = servers[round % 2] as ServerProcess;
      await victim.end('SIGKILL');
      servers[round % 2] = await start();
    }
    playing = false;
    await Promise.all(players);

    const count = async (condition: string) =>
      (await app.owner.query(`SELECT count(*)::int AS count FROM chain_outbox WHERE ${condition}`)).rows[0]
        .count as number;
    await eventually(async () => (await count('confirmed_at IS NULL')) === 0);
    const { rows } = await app.owner.query(
      `SELECT entry_index || ':0x' || encode(hash, 'hex') AS entry, '0x' || encode(transaction_hash, 'hex') AS transaction, body
     FROM wallet_ledger_entries WHERE tenant_id = $1 AND transaction_hash <> hash ORDER BY entry_index`,
      [tenant.tenantId],
    );
    assert.deepEqual(
      await chain.entries(tenant.tenantId),
      rows.map(({ entry }) => entry as string),
    );
    const scores = new Map<string, Set<string>>();
    for (const { transaction, body } of rows)
      scores.set(transaction, (scores.get(transaction) ?? new Set()).add(String(JSON.parse(body).score)));
    assert.ok(answered.size > 20, String(answered.size));
    for (const [hash, score] of answered)
      assert.ok(scores.get(hash)?.has(String(score)), `${hash} of ${score}`);
    for (const server of servers) assert.equal(await server.end('SIGTERM'), 0, server.output());
  });
});
