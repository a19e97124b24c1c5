import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  arrangeAccount,
  arrangeProvider,
  arrangeTenant,
  someStoreAAccount,
} from '../../src/testing/arrange.ts';
import { eventually } from '../../src/testing/eventually.ts';
import type { Answer } from '../../src/testing/http-client.ts';
import { startTestMailServer } from '../../src/testing/mail-server.ts';
import { someEmail } from '../../src/testing/mailbox.ts';
import { startStoreA } from '../../src/testing/providers/store-a.ts';
import { startTestApp, startTestWorker } from '../../src/testing/test-app.ts';
import { startWebhookReceiver } from '../../src/testing/webhook-receiver.ts';
import { arrangeWebhook } from '../../src/testing/webhooks.ts';

/** Starts a server, a worker, and all that they use. `useAll` uses everything that has a time. */
export async function startTimedOperations(databaseUrl?: string) {
  const storeA = await startStoreA();
  const mailServer = await startTestMailServer();
  const receiver = await startWebhookReceiver();
  const env = { STORE_A_URL: storeA.url, ALLOW_PRIVATE_ADDRESSES: 'on', LOG_LEVEL: 'silent' };
  const app = await startTestApp({ env, ...(databaseUrl && { databaseUrl }) });
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
  const refresh = async (refreshToken: string) =>
    succeed(await app.http.post('/api/player-auth/refresh', { refreshToken }, game)).body;

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
    const next = await refresh(player.refreshToken);
    await play(next);
    succeed(await app.http.post('/api/player-auth/logout', { sessionId: next.sessionId }, game));
    succeed(await signInToStore());

    const email = someEmail();
    succeed(await app.http.post('/api/player-auth/email/otc', { email }, game));
    const mail = () => mailServer.mails.find(({ envelope }) => envelope.to.includes(email));
    await eventually(() => mail() !== undefined);
    const code = /\b\d{6}\b/.exec(mail()!.text ?? '')?.[0];
    succeed(await app.http.post('/api/player-auth/otc/exchange', { email, code }, game));

    // A token of the console expires after 15 minutes.
    const admin = await arrangeAccount(app, tenant, 'admin');
    const webhook = await arrangeWebhook(app, `/api/workspaces/${tenant.workspaceId}/webhooks`, admin, {
      url: receiver.url,
    });
    const id = await webhook.test();
    await eventually(() => receiver.received.some((delivery) => delivery.id === id));
    await webhook.becomes(id, { status: 'delivered' });
    await webhook.delete();
  }

  return {
    app,
    game,
    storeA,
    signIn,
    signInToStore,
    refresh,
    play,
    useAll,
  };
}
