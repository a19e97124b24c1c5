import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { arrangeAccount, arrangePlayer, arrangeTenant } from '../../testing/arrange.ts';
import { eventually } from '../../testing/eventually.ts';
import type { Answer } from '../../testing/http-client.ts';
import { startTestApp } from '../../testing/test-app.ts';
import { whileLocked } from '../../testing/while-locked.ts';

/** It has 4 connections, and each test lets more requests wait. */
const app = await startTestApp();
const tenant = await arrangeTenant(app);
const elsewhere = await arrangeTenant(app);
const admin = await arrangeAccount(app, tenant, 'admin');
const neighbour = await arrangePlayer(app, tenant);

const ME = '/api/player-profile/me';
const DEVICES = '/api/player/devices';
const pathOf = (playerId: string) => `/api/bus_tenants/${tenant.tenantId}/players/${playerId}`;
const codesOf = (answers: Answer[]) => answers.map(({ status, body }) => `${status} ${body?.code ?? ''}`);

/** A player with one device and one sign-in method. */
async function arrangeDevice() {
  const { playerId, username } = await arrangePlayer(app, tenant);
  const { body } = await app.http.post(
    '/api/player-auth/login',
    {
      provider: 'Mock',
      token: `mock:${username}:secret`,
      deviceInfo: { deviceFingerprint: `device-of-${username}` },
    },
    tenant,
  );
  const caller = { bearer: body.accessToken };
  const [device] = (await app.http.get(DEVICES, caller)).body;
  const [method] = (await app.http.get(`${ME}/auth-methods`, caller)).body;
  return { playerId, caller, device: `${DEVICES}/${device.id}`, method: `${ME}/auth-methods/${method.id}` };
}

/** Sends requests of players and accounts who do not wait for the lock of the test. */
async function answerOthers(): Promise<void> {
  const other = await arrangePlayer(app, elsewhere);
  const profile = await app.http.get(ME, { bearer: other.accessToken });
  assert.equal(profile.status, 200, profile.text);
  const kicked = await app.http.post(`${pathOf(neighbour.playerId)}/force-logout`, {}, admin);
  assert.equal(kicked.status, 200, kicked.text);
}

describe('requests that wait for the lock of one player', () => {
  test('use one connection if the player sends them', async () => {
    const { playerId, caller, device, method } = await arrangeDevice();
    await whileLocked(
      app,
      (holder) => holder.query('SELECT FROM players WHERE id = $1 FOR UPDATE', [playerId]),
      async (waiting, release) => {
        const requests = Promise.all([
          app.http.patch(device, { isBlocked: true }, caller),
          app.http.patch(device, { isBlocked: true }, caller),
          app.http.patch(ME, { displayName: 'Ada' }, caller),
          app.http.post(`${method}/set-primary`, {}, caller),
          app.http.delete(method, caller),
          app.http.get(`${ME}/export`, caller),
          app.http.get(ME, caller),
        ]);
        await waiting(1);
        await answerOthers();
        await waiting(1);
        await release();
        const answers = codesOf(await requests);
        const expected = ['200 ', '200 ', '200 ', '200 ', '400 last_auth_method', '200 ', '200 '];
        assert.deepEqual(answers, expected);
      },
    );
  });

  test('use one connection if members of the workspace send them', async () => {
    const { playerId } = await arrangePlayer(app, tenant);
    const path = pathOf(playerId);
    await whileLocked(
      app,
      (holder) => holder.query('SELECT FROM tenant_access WHERE player_id = $1 FOR UPDATE', [playerId]),
      async (waiting, release) => {
        const requests = Promise.all([
          app.http.post(`${path}/force-logout`, {}, admin),
          app.http.post(`${path}/force-logout`, {}, admin),
          app.http.post(`${path}/ban`, {}, admin),
          app.http.delete(`${path}/ban`, admin),
          app.http.patch(path, { hiddenFromDiscovery: true }, admin),
          app.http.post(`${path}/notes`, { text: 'A note.' }, admin),
        ]);
        await waiting(1);
        await answerOthers();
        await waiting(1);
        await release();
        assert.deepEqual(codesOf(await requests), ['200 ', '200 ', '201 ', '204 ', '200 ', '201 ']);
      },
    );
  });

  test('are 503 busy with Retry-After if 100 others wait', async () => {
    const { playerId, accessToken } = await arrangePlayer(app, tenant);
    const caller = { bearer: accessToken };
    await whileLocked(
      app,
      (holder) => holder.query('SELECT FROM players WHERE id = $1 FOR UPDATE', [playerId]),
      async (waiting, release) => {
        const change = app.http.patch(ME, { displayName: 'Ada' }, caller);
        await waiting(1);
        const refused: Answer[] = [];
        const reads = Array.from({ length: 103 }, async () => {
          const answer = await app.http.get(ME, caller);
          if (answer.status === 503) refused.push(answer);
          return answer;
        });
        await eventually(() => refused.length >= 3);
        assert.deepEqual([refused[0]!.body.code, refused[0]!.headers.get('retry-after')], ['busy', '1']);
        await release();
        assert.equal((await change).status, 200);
        const answers = codesOf(await Promise.all(reads));
        // On a busy machine, more than three of them are refused, because they wait for longer than 10 seconds.
        assert.ok(answers.every((answer) => ['200 ', '503 busy'].includes(answer)));
      },
    );
  });
});
