import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { callbackify } from 'node:util';
import { SMTPServer } from 'smtp-server';
import { arrangeTenant, type Studio } from '../arrange.ts';
import { eventually } from '../eventually.ts';
import { accepted, call } from '../http.ts';
import { startVictim } from './victim.ts';

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

/** Sends a request as the account of a studio. */
const callAs = ({ accessToken }: Studio, method: string, path: string, body?: object) =>
  call(method, url + path, { bearer: accessToken, body });
const createKey = (studio: Studio, subscriberWorkspaceId: string) =>
  callAs(studio, 'POST', `${studio.at}/api-keys`, { name: 'x', subscriberWorkspaceId });
const paidKeysOf = async (studio: Studio): Promise<number> =>
  (await callAs(studio, 'GET', `/api/workspaces/${studio.workspaceId}/paid-keys`)).body.totalCount;

/** Makes the account of a studio a member of the honest workspace, and returns its id. */
async function invite(studio: Studio, role: string): Promise<string> {
  const bearer = studio.accessToken;
  const { user } = await accepted('GET', `${url}/api/saas-auth/me`, { bearer });
  await accepted('POST', `${url}/api/workspaces/${honest.workspaceId}/members`, {
    body: { email: studio.email, role },
    bearer: honest.accessToken,
  });
  // The address also gets the mail that verifies it. Mail lines have at most 76 characters.
  const tokenOf = () =>
    mails
      .filter((mail) => mail.includes(`To: ${studio.email}`))
      .map((mail) => /gh_invite_[0-9a-f]{72}/.exec(mail.replaceAll('=\r\n', ''))?.[0])
      .find((token) => token !== undefined);
  await eventually(() => tokenOf() !== undefined);
  await accepted('POST', `${url}/api/saas-auth/me/invitations/accept`, {
    body: { token: tokenOf() },
    bearer,
  });
  return user.id;
}

describe('a studio that names another workspace as the payer of its key', () => {
  test('is rejected without a membership', async () => {
    const hostile = await arrangeTenant(url);
    assert.equal((await createKey(hostile, honest.workspaceId)).status, 404);
  });

  test('is rejected as a viewer of the other workspace', async () => {
    const hostile = await arrangeTenant(url);
    await invite(hostile, 'viewer');
    const answer = await createKey(hostile, honest.workspaceId);
    assert.equal(answer.status, 403, JSON.stringify(answer.body));
  });

  test('is accepted as an admin of the other workspace, until the membership ends', async () => {
    const hostile = await arrangeTenant(url);
    const userId = await invite(hostile, 'admin');
    assert.equal((await createKey(hostile, honest.workspaceId)).status, 201);
    assert.equal(await paidKeysOf(honest), 1);
    const member = `/api/workspaces/${honest.workspaceId}/members/${userId}`;
    assert.equal((await callAs(honest, 'DELETE', member)).status, 204);
    assert.equal(await paidKeysOf(honest), 0);
    assert.equal((await createKey(hostile, honest.workspaceId)).status, 404);
  });

  test('is rejected with a limit above its plan', async () => {
    const hostile = await arrangeTenant(url);
    const body = { name: 'x', rateLimit: { perMinute: 2 ** 31 - 1 } };
    const answer = await callAs(hostile, 'POST', `${hostile.at}/api-keys`, body);
    assert.equal(answer.status, 400);
    assert.match(JSON.stringify(answer.body), /at most 60000, the limit of the plan/);
  });

  test('cannot read the usage of the other workspace', async () => {
    const hostile = await arrangeTenant(url);
    const paidKeys = `/api/workspaces/${honest.workspaceId}/paid-keys`;
    assert.equal((await callAs(hostile, 'GET', paidKeys)).status, 404);
    const { id } = await accepted('POST', `${url}${honest.at}/api-keys`, {
      body: { name: 'x' },
      bearer: honest.accessToken,
    });
    assert.equal((await callAs(hostile, 'DELETE', `${paidKeys}/${id}`)).status, 404);
  });
});
