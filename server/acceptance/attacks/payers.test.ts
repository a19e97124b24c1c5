import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { callbackify } from 'node:util';
import { SMTPServer } from 'smtp-server';
import { send } from '../arrange.ts';
import { eventually } from '../eventually.ts';
import { arrangeStudio, startVictim, type Studio } from './victim.ts';

const mails: string[] = [];
const mailServer = new SMTPServer({
  disabledCommands: ['AUTH', 'STARTTLS'],
  onData(stream, _session, callback) {
    callbackify(async () => void mails.push(await text(stream)))(callback);
  },
});
const listening = mailServer.listen(0, '127.0.0.1');
await once(listening, 'listening');
after(() => mailServer.close());
const { url, honest } = await startVictim({
  SMTP_URL: `smtp://127.0.0.1:${(listening.address() as AddressInfo).port}`,
});

const call = (method: string, path: string, { accessToken }: Studio, body?: object) =>
  fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${accessToken}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
const createKey = (studio: Studio, subscriberWorkspaceId: string) =>
  call('POST', `/api/bus_tenants/${studio.tenantId}/api-keys`, studio, { name: 'x', subscriberWorkspaceId });

const paidKeysOf = async (studio: Studio): Promise<number> => {
  const answer = await call('GET', `/api/workspaces/${studio.workspaceId}/paid-keys`, studio);
  return ((await answer.json()) as { totalCount: number }).totalCount;
};

/** Makes the account of a studio a member of the honest workspace, and returns its id. */
async function invite(studio: Studio, role: string): Promise<string> {
  const me = (await (await call('GET', '/api/saas-auth/me', studio)).json()) as {
    user: { id: string; email: string };
  };
  const members = `${url}/api/workspaces/${honest.workspaceId}/members`;
  await send(members, 'POST', { email: me.user.email, role }, honest.accessToken);
  // The address also gets the mail that verifies it. Mail lines have at most 76 characters.
  const tokenOf = () =>
    mails
      .filter((mail) => mail.includes(`To: ${me.user.email}`))
      .map((mail) => /gh_invite_[0-9a-f]{72}/.exec(mail.replaceAll('=\r\n', ''))?.[0])
      .find((token) => token !== undefined);
  await eventually(() => tokenOf() !== undefined);
  await send(`${url}/api/saas-auth/me/invitations/accept`, 'POST', { token: tokenOf() }, studio.accessToken);
  return me.user.id;
}

describe('a studio that names another workspace as the payer of its key', () => {
  test('is rejected without a membership', async () => {
    const hostile = await arrangeStudio(url);
    assert.equal((await createKey(hostile, honest.workspaceId)).status, 404);
  });

  test('is rejected as a viewer of the other workspace', async () => {
    const hostile = await arrangeStudio(url);
    await invite(hostile, 'viewer');
    const answer = await createKey(hostile, honest.workspaceId);
    assert.equal(answer.status, 403, await answer.text());
  });

  test('is accepted as an admin of the other workspace, until the membership ends', async () => {
    const hostile = await arrangeStudio(url);
    const userId = await invite(hostile, 'admin');
    assert.equal((await createKey(hostile, honest.workspaceId)).status, 201);
    assert.equal(await paidKeysOf(honest), 1);
    const member = `/api/workspaces/${honest.workspaceId}/members/${userId}`;
    assert.equal((await call('DELETE', member, honest)).status, 204);
    assert.equal(await paidKeysOf(honest), 0);
    assert.equal((await createKey(hostile, honest.workspaceId)).status, 404);
  });

  test('is rejected with a limit above its plan', async () => {
    const hostile = await arrangeStudio(url);
    const body = { name: 'x', rateLimit: { perMinute: 2 ** 31 - 1 } };
    const answer = await call('POST', `/api/bus_tenants/${hostile.tenantId}/api-keys`, hostile, body);
    assert.equal(answer.status, 400);
    assert.match(await answer.text(), /at most 60000, the limit of the plan/);
  });

  test('cannot read the usage of the other workspace', async () => {
    const hostile = await arrangeStudio(url);
    const paidKeys = `/api/workspaces/${honest.workspaceId}/paid-keys`;
    assert.equal((await call('GET', paidKeys, hostile)).status, 404);
    const { id = '' } = await send(
      `${url}/api/bus_tenants/${honest.tenantId}/api-keys`,
      'POST',
      { name: 'x' },
      honest.accessToken,
    );
    assert.equal((await call('DELETE', `${paidKeys}/${id}`, hostile)).status, 404);
  });
});
