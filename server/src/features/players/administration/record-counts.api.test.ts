import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { countHeavySlots } from '../../../database/heavy-reads.ts';
import { arrangeAccount, arrangePlayer, arrangeTenant } from '../../../testing/arrange.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { whileLocked } from '../../../testing/while-locked.ts';

const PROCESSES = 4;
const app = await startTestApp({ processes: PROCESSES });
const tenant = await arrangeTenant(app);
const elsewhere = await arrangeTenant(app);
const admin = await arrangeAccount(app, tenant, 'admin');

describe('the numbers of records of a player', () => {
  /** Runs `work` while the numbers cannot be read. More requests for them have arrived than may wait, and than there are connections. */
  async function whileCounting(work: (path: string, playerId: string) => Promise<void>): Promise<void> {
    const { playerId } = await arrangePlayer(app, tenant);
    const path = `/api/bus_tenants/${tenant.tenantId}/players/${playerId}`;
    await whileLocked(
      app,
      (holder) => holder.query('LOCK TABLE devices IN ACCESS EXCLUSIVE MODE'),
      async (waiting, release) => {
        const reads = Array.from({ length: 40 }, () => app.http.get(path, admin));
        await waiting(Math.floor(countHeavySlots(PROCESSES) / 2));
        const refused = await Promise.race(reads);
        assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_reads']);
        await work(path, playerId);
        await release();
        await Promise.all(reads);
      },
    );
  }

  test('are read with the connections of large reads', async () => {
    const { accessToken } = await arrangePlayer(app, elsewhere);
    await whileCounting(async () => {
      const profile = await app.http.get('/api/player-profile/me', { bearer: accessToken });
      assert.equal(profile.status, 200, profile.text);
    });
  });

  test('do not undo a change if they cannot be read', async () => {
    await whileCounting(async (path, playerId) => {
      const answer = await app.http.patch(path, { hiddenFromDiscovery: true }, admin);
      assert.deepEqual([answer.status, answer.body.code], [429, 'too_many_reads']);
      const { rows } = await app.owner.query(
        `SELECT hidden_from_discovery AS hidden, (SELECT count(*)::int FROM audit_records WHERE target_id = player_id::text) AS records
         FROM tenant_access WHERE player_id = $1`,
        [playerId],
      );
      assert.deepEqual(rows, [{ hidden: true, records: 1 }]);
    });
  });
});
