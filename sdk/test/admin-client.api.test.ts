import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import {
  accountClient,
  authenticatorCode,
  ACCOUNT_PASSWORD,
} from '../../server/src/testing/account-client.ts';
import { arrangeTenant } from '../../server/src/testing/arrange.ts';
import { eventually } from '../../server/src/testing/eventually.ts';
import { arrangeInvitation } from '../../server/src/testing/invitations.ts';
import { startTestApp } from '../../server/src/testing/test-app.ts';
import { startFaultProxy } from '../conformance/fault-proxy.ts';
import { createAdminClient, type AdminClientOptions } from '../src/admin.ts';
import { memoryStorage } from '../src/index.ts';
import { OWN_SESSION, trackCalls } from './called-methods.ts';
import { failsWith } from './fails-with.ts';
import { assertServerTime } from './server-time.ts';

const app = await startTestApp();
const proxy = await startFaultProxy(app.url);
after(() => proxy.close());
const accounts = await accountClient(app);

const tracked = trackCalls([...OWN_SESSION, 'api.']);
const newAdmin = (options: Partial<AdminClientOptions> = {}) =>
  tracked(createAdminClient({ baseUrl: app.url, ...options }));

describe('createAdminClient', () => {
  test('asks for the second factor, and signs in with its code', async () => {
    const { email } = await accounts.signUpVerified();
    const storage = memoryStorage();
    const admin = newAdmin({ storage });
    assert.ok('id' in (await admin.signIn({ email, password: ACCOUNT_PASSWORD })));
    const { secret } = await admin.api.POST('/api/saas-auth/totp/enroll', {
      body: { password: ACCOUNT_PASSWORD },
    });
    await admin.api.POST('/api/saas-auth/totp/confirm', { body: { code: authenticatorCode(secret) } });
    assert.equal((await admin.reload()).totpEnabled, true);
    await admin.signOut();

    const answer = await admin.signIn({ email, password: ACCOUNT_PASSWORD });
    assert.ok('mfaToken' in answer);
    assert.equal(await admin.session.load(), undefined);
    const { mfaToken } = answer;
    assert.equal((await admin.verifyTotp({ mfaToken, code: authenticatorCode(secret, 1) })).email, email);
    assert.equal(admin.session.current?.email, email);
    await assertServerTime(storage, () => newAdmin({ storage }));
  });

  test('follows notifications over a broken connection', async () => {
    const { email, id } = await accounts.signUp();
    let connection = new AbortController();
    const admin = newAdmin({
      fetch: (url, init) => {
        connection = new AbortController();
        return fetch(url, { ...init, signal: AbortSignal.any([init!.signal!, connection.signal]) });
      },
    });
    await admin.signIn({ email, password: ACCOUNT_PASSWORD });
    const seen: string[] = [];
    const states: string[] = [];
    const feed = admin.followNotifications({
      onNotification: ({ title }) => seen.push(title),
      onState: (state) => states.push(state),
    });
    await eventually(() => states.includes('connected'));
    const notify = (title: string) =>
      app.owner.query(
        `INSERT INTO notifications (id, account_id, type, title, text) VALUES (gen_random_uuid(), $1, 'test', $2, '-')`,
        [id, title],
      );
    await notify('first');
    await eventually(() => seen.length === 1);
    connection.abort();
    await eventually(() => states.includes('waiting'));
    await notify('while disconnected');
    await eventually(() => states.filter((state) => state === 'connected').length === 2);
    await notify('last');
    await eventually(() => seen.length === 3);
    feed.close();
    await eventually(() => states.includes('closed'));
    assert.deepEqual(seen, ['first', 'while disconnected', 'last']);
  });

  test('misses no notification if a connection breaks before the first one', async () => {
    const { email, id } = await accounts.signUp();
    let connection = new AbortController();
    const admin = newAdmin({
      fetch: (url, init) => {
        connection = new AbortController();
        return fetch(url, { ...init, signal: AbortSignal.any([init!.signal!, connection.signal]) });
      },
    });
    await admin.signIn({ email, password: ACCOUNT_PASSWORD });
    for (const title of ['the first of the account', 'the next one']) {
      const seen: string[] = [];
      const states: string[] = [];
      const feed = admin.followNotifications({
        onNotification: (notification) => seen.push(notification.title),
        onState: (state) => states.push(state),
      });
      await eventually(() => states.includes('connected'));
      connection.abort();
      await eventually(() => states.includes('waiting'));
      await app.owner.query(
        `INSERT INTO notifications (id, account_id, type, title, text) VALUES (gen_random_uuid(), $1, 'test', $2, '-')`,
        [id, title],
      );
      await eventually(() => seen.length > 0);
      feed.close();
      assert.deepEqual(seen, [title]);
    }
  });

  test('signs an account up, and reports a wrong password', async () => {
    const email = `${crypto.randomUUID()}@example.com`;
    const admin = newAdmin();
    const seen: (string | undefined)[] = [];
    const ended: string[] = [];
    admin.session.subscribe((user) => seen.push(user?.email));
    admin.session.onSessionEnded(({ reason }) => ended.push(reason));
    await admin.signUp({ email, password: ACCOUNT_PASSWORD });
    assert.equal((await admin.session.load())?.email, email);
    await admin.api
      .DELETE('/api/saas-auth/sessions/{sessionId}', {
        params: { path: { sessionId: crypto.randomUUID() } },
      })
      .then(() => assert.fail('the session does not exist'), failsWith('not_found', 404));
    await admin.signOut();
    assert.deepEqual([seen, ended], [[email, undefined], ['signed_out']]);
    await assert.rejects(
      admin.signIn({ email, password: 'battery staple' }),
      failsWith('invalid_credentials', 401),
    );
    await assert.rejects(admin.signUp({ email, password: ACCOUNT_PASSWORD }), failsWith('email_taken', 409));
  });

  test('signs in with the tokens of an accepted invitation', async () => {
    const tenant = await arrangeTenant(app);
    const email = `${crypto.randomUUID()}@example.com`;
    const { token } = await arrangeInvitation(app, tenant, { email });
    const admin = newAdmin();
    const answer = await admin.api.POST('/api/saas-auth/invitations/accept', {
      body: { token, password: ACCOUNT_PASSWORD },
    });
    assert.equal((await admin.adopt(answer)).email, email);
    const { memberships } = await admin.api.GET('/api/saas-auth/me');
    assert.deepEqual(
      memberships.map(({ workspaceId, role }) => [workspaceId, role]),
      [[tenant.workspaceId, 'viewer']],
    );
  });

  test('stays signed in when the answer of a refresh is lost, and rejects a web page as an answer', async () => {
    const { email } = await accounts.signUp();
    const storage = memoryStorage();
    const admin = newAdmin({ baseUrl: proxy.url, storage });
    await admin.signIn({ email, password: ACCOUNT_PASSWORD });
    const expire = async () => {
      const [[key, text]] = (await storage.list('', 1)) as [[string, string]];
      await storage.write({ [key]: JSON.stringify({ ...JSON.parse(text), accessToken: 'expired' }) });
    };
    await expire();
    proxy.plan([
      { match: 'POST /api/saas-auth/refresh', action: 'drop_answer' },
      { match: 'POST /api/saas-auth/refresh', action: 'answer_200' },
    ]);
    assert.equal((await newAdmin({ baseUrl: proxy.url, storage }).reload()).email, email);
    proxy.plan([{ match: 'POST /api/saas-auth/login', action: 'answer_200' }]);
    await assert.rejects(
      newAdmin({ baseUrl: proxy.url }).signIn({ email, password: ACCOUNT_PASSWORD }),
      failsWith('unexpected_answer', 0),
    );
  });
});
