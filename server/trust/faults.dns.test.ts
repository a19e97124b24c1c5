import assert from 'node:assert/strict';
import dns from 'node:dns';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { after, describe, mock, test } from 'node:test';
import { NOTIFY_WORKERS } from '../src/testing/notify-workers.ts';
import { arrangeAccount, arrangeProvider, arrangeTenant } from '../src/testing/arrange.ts';
import { eventually } from '../src/testing/eventually.ts';
import { startTestMailServer } from '../src/testing/mail-server.ts';
import { someEmail } from '../src/testing/mailbox.ts';
import { startNameServer } from '../src/testing/name-server.ts';
import { startWalletIssuer } from '../src/testing/providers/wallet-issuer.ts';
import { startTestApp, startTestWorker } from '../src/testing/test-app.ts';
import { arrangeWebhook } from '../src/testing/webhooks.ts';

// Names of webhooks, of issuers and of the mail server that do not resolve, or that resolve to another address each time.

const names = await startNameServer();
/** In the public range, but not assigned to anybody. */
const PUBLIC_ADDRESS = '2d00::1';

// The library of the mail server makes its own resolvers, and asks the system resolver if they fail.
const { Resolver, lookup } = dns;
dns.Resolver = class extends Resolver {
  constructor(...options: ConstructorParameters<typeof Resolver>) {
    super(...options);
    this.setServers([names.address]);
  }
};
after(() => (dns.Resolver = Resolver));
mock.method(dns, 'lookup', (name: string, ...rest: unknown[]) => {
  if (!name.endsWith('.test')) return Reflect.apply(lookup, dns, [name, ...rest]);
  const answer = rest.at(-1) as (error: Error) => void;
  answer(Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' }));
});

/** Listens on loopback in IPv4 and IPv6, and counts connections. */
let connections = 0;
const loopback = createServer((socket) => {
  connections++;
  socket.on('error', () => {}).destroy();
}).listen(0, '::');
await once(loopback, 'listening');
after(() => loopback.close());
const { port } = loopback.address() as AddressInfo;

const mailServer = await startTestMailServer();
const app = await startTestApp({ env: { LOG_LEVEL: 'silent' } });
await startTestWorker(app, {
  LOG_LEVEL: 'silent',
  SMTP_URL: `smtp://mail.test:${new URL(mailServer.url).port}`,
  SMTP_TLS: 'opportunistic',
  MAIL_FROM: 'post@guild.example',
});
const studio = await arrangeTenant(app);
const admin = await arrangeAccount(app, studio, 'admin');

/** Signs a player in with a token of an issuer at this name. Each call has an issuer and a tenant of its own. */
async function signInWithIssuerAt(name: string) {
  const issuer = await startWalletIssuer();
  const tenant = await arrangeTenant(app);
  const url = `https://${name}:${port}`;
  await arrangeProvider(app, tenant, 'WalletJwt', { issuer: url, audience: issuer.audience });
  const token = await issuer.tokenOf('ada', { iss: url });
  return app.http.post('/api/player-auth/login', { provider: 'WalletJwt', token }, tenant);
}

const hookAt = (name: string) =>
  arrangeWebhook(app, `/api/workspaces/${studio.workspaceId}/webhooks`, admin, {
    url: `http://${name}:${port}/`,
  });

/** Waits until this many attempts of a delivery have ended, and returns the delivery. */
async function attempted(hook: Awaited<ReturnType<typeof hookAt>>, id: string, attempts: number) {
  let delivery = await hook.delivery(id);
  await eventually(async () => {
    delivery = await hook.delivery(id);
    return (
      delivery.history.filter(({ error }: { error: string | null }) => error !== null).length >= attempts
    );
  });
  return delivery;
}

describe('a name that resolves to a public address first, and to loopback later', () => {
  test('a webhook never connects to loopback', { timeout: 300_000 }, async () => {
    names.answers = [[PUBLIC_ADDRESS], ['127.0.0.1']];
    const hook = await hookAt('rebind.test');
    const id = await hook.test();
    await attempted(hook, id, 1);
    assert.equal((await hook.redeliver(id)).status, 202);
    const { history, status } = await attempted(hook, id, 2);
    assert.equal(status, 'pending');
    assert.match(history.at(-1).error, /rebind\.test has no public address/);
    names.answers = [['127.0.0.1', PUBLIC_ADDRESS, '::1']];
    assert.equal((await hook.redeliver(id)).status, 202);
    await attempted(hook, id, 3);
    await hook.delete();
    assert.equal(connections, 0);
  });

  test('an issuer never gets a request at loopback', { timeout: 300_000 }, async () => {
    for (const answers of [[[PUBLIC_ADDRESS], ['127.0.0.1']], [['127.0.0.1', '::1']]]) {
      names.answers = answers;
      const answer = await signInWithIssuerAt('rebind.test');
      assert.deepEqual([answer.status, answer.body.code], [502, 'provider_unavailable'], answer.text);
    }
    assert.equal(connections, 0);
  });
});

describe('a name server that fails', () => {
  for (const failure of ['unknown name', 'server failure', 'silence'] as const)
    test(`a sign-in returns 502 (${failure})`, { timeout: 300_000 }, async () => {
      names.failure = failure;
      const answer = await signInWithIssuerAt('issuer.test');
      names.failure = undefined;
      assert.deepEqual([answer.status, answer.body.code], [502, 'provider_unavailable'], answer.text);
      assert.equal((await app.http.get('/health/ready')).status, 200, 'the server stays ready');
    });

  test('a mail waits until the name of the mail server resolves', { timeout: 300_000 }, async () => {
    names.failure = 'unknown name';
    const email = someEmail();
    const tenant = await arrangeTenant(app, { providers: ['EmailOneTimeCode'] });
    const answer = await app.http.post('/api/player-auth/email/otc', { email }, tenant);
    assert.ok(answer.status < 300, answer.text);
    await eventually(async () => {
      const { rows } = await app.owner.query('SELECT failure FROM mails WHERE recipient = $1', [email]);
      return rows.some(({ failure }) => failure !== null);
    });
    names.failure = undefined;
    names.answers = [['127.0.0.1']];
    await eventually(async () => {
      await app.owner.query(
        `UPDATE pgboss.job SET start_after = now() WHERE state = 'retry' ${NOTIFY_WORKERS}`,
      );
      return mailServer.mails.some(({ envelope }) => envelope.to.includes(email));
    });
  });

  test('a delivery waits for the next attempt', async () => {
    names.failure = 'unknown name';
    const hook = await hookAt('hooks.test');
    const id = await hook.test();
    const { status, lastError, nextAttemptAt } = await attempted(hook, id, 1);
    assert.equal(status, 'pending');
    assert.match(lastError, /^The host name was not found \(ENOTFOUND\): .*hooks\.test/);
    assert.ok(nextAttemptAt);
    names.failure = undefined;
    names.answers = [['127.0.0.1']];
    assert.equal((await hook.redeliver(id)).status, 202);
    // The name resolves again. Its address is refused now.
    assert.match((await attempted(hook, id, 2)).lastError, /no public address/);
    assert.equal(connections, 0);
  });
});
