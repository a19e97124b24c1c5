import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, describe, test } from 'node:test';
import { arrangeAccount, arrangeProvider, arrangeTenant, someStoreAAccount } from '../src/testing/arrange.ts';
import { someEmail } from '../src/testing/email-player.ts';
import { eventually } from '../src/testing/eventually.ts';
import type { Answer } from '../src/testing/http-client.ts';
import { startTestMailServer } from '../src/testing/mail-server.ts';
import { startStoreA } from '../src/testing/providers/store-a.ts';
import { startTestApp, startTestWorker } from '../src/testing/test-app.ts';
import { startWebhookReceiver } from '../src/testing/webhook-receiver.ts';
import { arrangeWebhook } from '../src/testing/webhooks.ts';

// The clock of the machine of the server is set one hour forward and back while the server runs. The clock of PostgreSQL is right.

const SystemDate = Date;
let offsetMs = 0;
globalThis.Date = class extends SystemDate {
  constructor(...args: unknown[]) {
    if (args.length === 0) super(SystemDate.now() + offsetMs);
    else super(...(args as [number]));
  }
  static override now = () => SystemDate.now() + offsetMs;
} as DateConstructor;
after(() => (globalThis.Date = SystemDate));
const HOUR_MS = 60 * 60_000;

const storeA = await startStoreA();
const mailServer = await startTestMailServer();
const receiver = await startWebhookReceiver();
const env = { STORE_A_URL: storeA.url, ALLOW_PRIVATE_ADDRESSES: 'on', LOG_LEVEL: 'silent' };
const app = await startTestApp({ env });
await startTestWorker(app, { ...env, SMTP_URL: mailServer.url, MAIL_FROM: 'post@guild.example' });
const tenant = await arrangeTenant(app, { providers: ['Mock', 'EmailOneTimeCode'] });
await arrangeProvider(app, tenant, 'StoreA', { appId: storeA.appId, webApiKey: storeA.webApiKey });
await app.owner.query('UPDATE tenants SET auto_create_definitions = true');
const game = { gameKey: tenant.gameKey };

const succeed = (answer: Answer): Answer => {
  assert.ok(answer.status < 300, `${answer.status} ${answer.text}`);
  return answer;
};
const signIn = async (username: string = randomUUID()) =>
  succeed(
    await app.http.post(
      '/api/player-auth/login',
      { provider: 'Mock', token: `mock:${username}:secret` },
      game,
    ),
  ).body;
const signInToStore = () =>
  app.http.post(
    '/api/player-auth/login',
    { provider: 'StoreA', token: storeA.ticketOf(someStoreAAccount()) },
    game,
  );
const refresh = (refreshToken: string) => app.http.post('/api/player-auth/refresh', { refreshToken }, game);

/** Sends an event and starts a match with an access token and a session. */
async function play({ accessToken, playerId, sessionId }: Record<string, string>): Promise<void> {
  const event = {
    playerId,
    eventKey: 'jumped',
    idempotencyKey: randomUUID(),
    occurredAt: new Date().toISOString(),
  };
  const player = { ...game, bearer: accessToken! };
  succeed(await app.http.post('/api/game/player-events', { events: [event] }, player));
  const players = [{ playerId, loginSessionId: sessionId }];
  succeed(await app.http.post('/api/game/matches', { players }, game));
}

/** Uses everything that has a time: tokens, codes, sessions, limits, jobs, mails, webhooks. */
async function useAll(): Promise<void> {
  succeed(await app.http.get('/health/ready'));
  const player = await signIn();
  await play(player);
  const next = succeed(await refresh(player.refreshToken)).body;
  await play(next);
  succeed(await app.http.post('/api/player-auth/logout', { sessionId: next.sessionId }, game));
  succeed(await signInToStore());

  const email = someEmail();
  succeed(await app.http.post('/api/player-auth/email/otc', { email }, game));
  const mail = () => mailServer.mails.find(({ envelope }) => envelope.to.includes(email));
  await eventually(() => mail() !== undefined);
  const code = /\b\d{6}\b/.exec(mail()!.text ?? '')?.[0];
  succeed(await app.http.post('/api/player-auth/otc/exchange', { email, code }, game));

  // A token of the dashboard expires after 15 minutes.
  const admin = await arrangeAccount(app, tenant, 'admin');
  const webhook = await arrangeWebhook(app, `/api/workspaces/${tenant.workspaceId}/webhooks`, admin, {
    url: receiver.url,
  });
  const id = await webhook.test();
  await eventually(() => receiver.received.some((delivery) => delivery.id === id));
  await webhook.becomes(id, { status: 'delivered' });
  await webhook.delete();
}

describe('the clock of the server', () => {
  afterEach(() => void (offsetMs = 0));
  for (const [name, jumpMs] of [
    ['one hour forward, and back', HOUR_MS],
    ['one hour back, and forward', -HOUR_MS],
  ] as const)
    test(name, { timeout: 300_000 }, async () => {
      let before = await signIn();
      await useAll();
      for (const offset of [jumpMs, 0]) {
        offsetMs = offset;
        // Credentials from before the jump. An access token is valid for two hours.
        await play(before);
        before = succeed(await refresh(before.refreshToken)).body;
        await useAll();
      }
    });

  test('a token that expires with a jump is refused, and works again after the clock is right', async () => {
    const { accessToken } = await signIn();
    const read = async () =>
      (await app.http.get('/api/player-profile/me', { ...game, bearer: accessToken })).status;
    assert.equal(await read(), 200);
    offsetMs = 3 * HOUR_MS;
    assert.equal(await read(), 401);
    offsetMs = 0;
    assert.equal(await read(), 200);
  });

  test(
    'a provider that failed before the clock was set back is asked again',
    { timeout: 300_000 },
    async () => {
      offsetMs = HOUR_MS;
      storeA.fail('broken');
      for (let attempt = 0; attempt < 6; attempt++) assert.equal((await signInToStore()).status, 502);
      storeA.fail('never');
      offsetMs = 0;
      await eventually(async () => (await signInToStore()).status === 200);
    },
  );
});
