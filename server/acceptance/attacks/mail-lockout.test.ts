import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrangeTenant } from '../arrange.ts';
import { accepted, call } from '../http.ts';
import { startVictim } from './victim.ts';

// An attacker creates 21 tenants, and each mails a code to the victim's address. The requests come through a proxy, so
// each has another network.

const { url, honest } = await startVictim({ TRUST_PROXY: 'on' });
const hostile = await arrangeTenant(url);
const TENANTS = 21;

const enableCodes = (tenant: string, bearer: string) =>
  accepted('PUT', `${url}${tenant}/providers/EmailOneTimeCode`, { body: { enabled: true }, bearer });

let network = 0;
const ask = (gameKey: string, path: string, body: object) =>
  call('POST', `${url}/api/player-auth/${path}`, {
    gameKey,
    headers: { 'x-forwarded-for': `10.0.0.${++network}` },
    body,
  });

test('mails of 21 hostile tenants do not lock a player out of another game', async () => {
  await enableCodes(honest.at, honest.accessToken);
  const email = 'victim@example.com';
  // A verified player of the honest game. Without a mail server, the code is in the outbox.
  assert.equal((await ask(honest.gameKey, 'email/otc', { email })).status, 200);
  const code = await newestCode(email);
  assert.equal((await ask(honest.gameKey, 'otc/exchange', { email, code })).status, 200);

  const tenants = `${url}/api/workspaces/${hostile.workspaceId}/bus_tenants`;
  const bearer = hostile.accessToken;
  for (let tenant = 0; tenant < TENANTS; tenant++) {
    const body = { name: 'Click evil.example now' };
    const { id } = await accepted('POST', tenants, { body, bearer });
    const at = `/api/bus_tenants/${id}`;
    await enableCodes(at, bearer);
    const { key: gameKey } = await accepted('POST', `${url}${at}/game-keys`, { body: { name: 'k' }, bearer });
    assert.equal((await ask(gameKey, 'email/otc', { email })).status, 200);
  }
  assert.ok((await mails(email)).every(({ subject }) => !subject.includes('evil')));
  assert.ok((await mails(email)).every(({ text }) => !text?.includes('evil.example')));
  assert.ok(
    (await mails(email)).filter(({ failedAt }) => failedAt === null).length <= 21,
    'mails of other tenants are limited',
  );

  const again = await ask(honest.gameKey, 'email/otc', { email });
  assert.equal(again.status, 200, JSON.stringify(again.body));
  const fresh = await newestCode(email);
  assert.equal((await ask(honest.gameKey, 'otc/exchange', { email, code: fresh })).status, 200);
});

interface Mail {
  to: string;
  subject: string;
  text: string | null;
  failedAt: string | null;
}
async function mails(email: string): Promise<Mail[]> {
  const outbox = `${url}/api/admin/outbox?limit=200`;
  const { items } = await accepted('GET', outbox, { bearer: honest.accessToken });
  return items.filter(({ to }: Mail) => to === email);
}
async function newestCode(email: string): Promise<string> {
  const mail = (await mails(email)).find(({ text }) => text?.includes('“Game”'));
  return /^ {4}(\d{6})$/m.exec(mail?.text ?? '')?.[1] ?? '';
}
