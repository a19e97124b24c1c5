import assert from 'node:assert/strict';
import { test } from 'node:test';
import { send } from '../arrange.ts';
import { arrangeStudio, startVictim, type Studio } from './victim.ts';

// One person makes 21 tenants and has each of them mail a code to somebody else's address. The tenants ask through a proxy, so each
// request comes from a network of its own.

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

test('nobody locks an address out of a game that it signs in to, by tenants of their own', async () => {
  await enableCodes(honest);
  const email = 'victim@example.com';
  // A verified player of the honest game. The code is read where the operator reads it: without a mail server, in the outbox.
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
    'mails of strangers are bounded',
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
