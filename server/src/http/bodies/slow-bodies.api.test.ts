import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as open } from 'node:http';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { arrangeAccount, arrangeTenant } from '../../testing/arrange.ts';
import { startTestApp } from '../../testing/test-app.ts';

const app = await startTestApp();

/** Sends a request whose body ends more than a second after its beginning. `meanwhile` runs in between. */
async function sendSlowly(
  path: string,
  headers: Record<string, string>,
  body: string,
  meanwhile: () => Promise<unknown> = async () => {},
): Promise<{ status: number | undefined; code?: string }> {
  const { port } = new URL(app.url);
  const request = open({ method: 'POST', port, path, headers, agent: false });
  request.write(body.slice(0, 10));
  const response = once(request, 'response');
  await sleep(300);
  await meanwhile();
  await sleep(1000);
  request.end(body.slice(10));
  const [answer] = (await response) as [AsyncIterable<Buffer> & { statusCode?: number }];
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  return { status: answer.statusCode, code: JSON.parse(String(Buffer.concat(chunks))).code };
}

const json = { 'content-type': 'application/json' };

describe('a request whose body arrives slowly', () => {
  test('is 401 if its key was revoked meanwhile', async () => {
    const tenant = await arrangeTenant(app);
    const owner = await arrangeAccount(app, tenant, 'owner');
    const keys = `/api/bus_tenants/${tenant.tenantId}/game-keys`;
    const { id, key } = (await app.http.post(keys, { name: 'client' }, owner)).body;
    const body = JSON.stringify({ email: 'player@example.com' });
    const send = (meanwhile?: () => Promise<unknown>) =>
      sendSlowly('/api/player-auth/email/otc', { ...json, 'x-game-key': key }, body, meanwhile);

    const enabled = await app.http.put(
      `/api/bus_tenants/${tenant.tenantId}/providers/EmailOneTimeCode`,
      { enabled: true },
      owner,
    );
    assert.equal(enabled.status, 200);
    assert.equal((await send()).status, 200);
    const refused = await send(() => app.http.delete(`${keys}/${id}`, owner));
    assert.deepEqual(refused, { status: 401, code: 'invalid_game_key' });
  });

  test('is 401 if the session of its account ended meanwhile', async () => {
    const { accessToken, refreshToken } = (
      await app.http.post('/api/saas-auth/signup', {
        email: 'slow@example.com',
        password: 'correct horse battery',
      })
    ).body;
    const send = (meanwhile?: () => Promise<unknown>) =>
      sendSlowly(
        '/api/workspaces',
        { ...json, authorization: `Bearer ${accessToken}` },
        JSON.stringify({ name: 'Late Studio' }),
        meanwhile,
      );
    assert.equal((await send()).status, 201);
    const refused = await send(() => app.http.post('/api/saas-auth/logout', { refreshToken }));
    assert.deepEqual(refused, { status: 401, code: 'invalid_bearer' });
  });

  test('is 404 if its account was removed from the workspace while a form arrived', async () => {
    const tenant = await arrangeTenant(app);
    const owner = await arrangeAccount(app, tenant, 'owner');
    const admin = await arrangeAccount(app, tenant, 'admin');
    const form = new Response(
      Object.entries({ file: new Blob(['event_key,event_value\nlate,1\n']) }).reduce(
        (data, [name, value]) => {
          data.set(name, value);
          return data;
        },
        new FormData(),
      ),
    );
    const headers = {
      'content-type': form.headers.get('content-type')!,
      authorization: `Bearer ${admin.bearer}`,
    };
    const body = await form.text();
    const path = `/api/bus_tenants/${tenant.tenantId}/event-definitions/import`;
    assert.equal((await sendSlowly(path, headers, body)).status, 200);
    const refused = await sendSlowly(path, headers, body, () =>
      app.http.delete(`/api/workspaces/${tenant.workspaceId}/members/${admin.accountId}`, owner),
    );
    assert.deepEqual(refused, { status: 404, code: 'not_found' });
  });
});
