import { randomUUID } from 'node:crypto';
import { describe } from 'node:test';
import { arrangeAccount, arrangeProvider, arrangeTenant, someStoreAAccount } from '../src/testing/arrange.ts';
import { cloneTestDatabase } from '../src/testing/databases.ts';
import { eventually } from '../src/testing/eventually.ts';
import { startTestMailServer } from '../src/testing/mail-server.ts';
import { someEmail } from '../src/testing/mailbox.ts';
import { startStoreA } from '../src/testing/providers/store-a.ts';
import { startTestApp, startTestWorker } from '../src/testing/test-app.ts';
import { startWebhookReceiver } from '../src/testing/webhook-receiver.ts';
import { arrangeWebhook } from '../src/testing/webhooks.ts';
import { checkFaults } from './faults/check-faults.ts';
import { proxyOf } from './faults/faulty-proxy.ts';

// The dependencies fail: the database, a store, the mail server and the receiver of a webhook.

const storeA = await startStoreA();
const mailServer = await startTestMailServer();
const receiver = await startWebhookReceiver();
const store = await proxyOf(storeA.url);
const mail = await proxyOf(mailServer.url);
const hooks = await proxyOf(receiver.url);

const env = { STORE_A_URL: store.url, ALLOW_PRIVATE_ADDRESSES: 'on', LOG_LEVEL: 'silent' };
const app = await startTestApp({ env });
await startTestWorker(app, { ...env, SMTP_URL: mail.url, MAIL_FROM: 'post@guild.example' });
const tenant = await arrangeTenant(app, { providers: ['Mock', 'EmailOneTimeCode'] });
await arrangeProvider(app, tenant, 'StoreA', { appId: storeA.appId, webApiKey: storeA.webApiKey });
const admin = await arrangeAccount(app, tenant, 'admin');
const game = { gameKey: tenant.gameKey };

const database = await cloneTestDatabase();
const throughProxy = await proxyOf(database.url);
const fragile = await startTestApp({ databaseUrl: throughProxy.url, env: { LOG_LEVEL: 'silent' } });
const itsTenant = await arrangeTenant(fragile);

const webhook = await arrangeWebhook(app, `/api/workspaces/${tenant.workspaceId}/webhooks`, admin, {
  url: `${hooks.url}/hook`,
});

// Each waits for timeouts most of the time.
describe('faults of dependencies', { concurrency: true }, () => {
  checkFaults({
    name: 'PostgreSQL',
    app: fragile,
    proxy: throughProxy,
    isRequired: true,
    statuses: [503],
    use: () =>
      fragile.http.post(
        '/api/player-auth/login',
        { provider: 'Mock', token: `mock:${randomUUID()}:secret` },
        { gameKey: itsTenant.gameKey },
      ),
  });

  checkFaults({
    name: 'a store',
    app,
    proxy: store,
    statuses: [502],
    use: () =>
      app.http.post(
        '/api/player-auth/login',
        { provider: 'StoreA', token: storeA.ticketOf(someStoreAAccount()) },
        game,
      ),
  });

  checkFaults({
    name: 'the mail server',
    app,
    proxy: mail,
    statuses: [],
    use: async () => {
      const email = someEmail();
      const answer = await app.http.post('/api/player-auth/email/otc', { email }, game);
      return { ...answer, body: { ...answer.body, email } };
    },
    arrived: ({ body }) =>
      eventually(() => mailServer.mails.some(({ envelope }) => envelope.to.includes(body.email))),
  });

  checkFaults({
    name: 'the receiver of a webhook',
    app,
    proxy: hooks,
    statuses: [],
    use: () =>
      app.http.post(`/api/workspaces/${tenant.workspaceId}/webhooks/${webhook.id}/test`, undefined, admin),
    arrived: ({ body }) => eventually(() => receiver.received.some(({ id }) => id === body.id)),
  });
});
