import assert from 'node:assert/strict';
import { test } from 'node:test';
import { send } from '../arrange.ts';
import { arrangeStudio, startVictim, type Studio } from './victim.ts';

// An attacker creates 21 tenants, and each mails a code to the victim's address. The requests come through a proxy, so
// each has another network.

const { url, honest } = await startVictim({ TRUST_PROXY: 'on' });
const hostile = await arrangeStudio(url);
const TENANTS = 21;

const enableCodes = ({ accessToken, tenantId }: Pick<Studio, 'accessToken' | 'tenantId'>) =>
  send(
    `${url}/api/bus_tenants/${tenantId}/providers/EmailOneTimeCode`,
    'PUT',
    { enabled: true },
    accessToken,
  );

let network = 0;
const ask = (gameKey: string, path: string, body: object) =>
  fetch(`${url}/api/player-auth/${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-game-key': gameKey,
      'x-forwarded-for': `10.0.0.${++network}`,
    },
    body: JSON.stringify(body),
  });

test('mails of 21 hostile tenants do not lock a player out of another game', async () => {
  await enableCodes(honest);
  const email = 'victim@example.com';
  // A verified player of the honest game. Without a mail server, the code is in the outbox.
  assert.equal((await ask(honest.gameKey, 'email/otc', { email })).status, 200);
  const code = await newestCode(email);
  assert.equal((await ask(honest.gameKey, 'otc/exchange', { email, code })).status, 200);

  for (let tenant = 0; tenant < TENANTS; tenant++) {
    const { id: tenantId = '' } = await send(
      `${url}/api/workspaces/${hostile.workspaceId}/bus_tenants`,
      'POST',
      { name: 'Click evil.example now' },
      hostile.accessToken,
    );
    await enableCodes({ accessToken: hostile.accessToken, tenantId });
    const { key: gameKey = '' } = await send(
      `${url}/api/bus_tenants/${tenantId}/game-keys`,
      'POST',
      { name: 'k' },
      hostile.accessToken,
    );
    assert.equal((await ask(gameKey, 'email/otc', { email })).status, 200);
  }
  assert.ok((await mails(email)).every(({ subject }) => !subject.includes('evil')));
  assert.ok((await mails(email)).every(({ text }) => !text?.includes('evil.example')));
  assert.ok(
    (await mails(email)).filter(({ failedAt }) => failedAt === null).length <= 21,
    'mails of other tenants are limited',
  );

  const again = await ask(honest.gameKey, 'email/otc', { email });
  assert.equal(again.status, 200, await again.text());
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
  const answer = await fetch(`${url}/api/admin/outbox?limit=200`, {
    headers: { authorization: `Bearer ${honest.accessToken}` },
  });
  const { items } = (await answer.json()) as { items: Mail[] };
  return items.filter(({ to }) => to === email);
}
async function newestCode(email: string): Promise<string> {
  const mail = (await mails(email)).find(({ text }) => text?.includes('“Game”'));
  return /^ {4}(\d{6})$/m.exec(mail?.text ?? '')?.[1] ?? '';
}
