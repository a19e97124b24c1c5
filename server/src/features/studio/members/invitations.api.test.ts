import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { openDatabase } from '../../../database/database.ts';
import { newOpaqueToken } from '../../../security/opaque-tokens.ts';
import { arrangeAccount, arrangeTenant } from '../../../testing/arrange.ts';
import { arrangeInvitation } from '../../../testing/invitations.ts';
import { createMailbox, someEmail } from '../../../testing/mailbox.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { whileLocked } from '../../../testing/while-locked.ts';
import { deleteOldInvitations } from './index.ts';

const app = await startTestApp();
const closed = await startTestApp({ databaseUrl: app.databaseUrl, env: { SIGNUP: 'closed' } });
const mailbox = await createMailbox(app);
const tenant = await arrangeTenant(app);
const foreign = await arrangeTenant(app);
const [owner, admin, viewer, stranger] = [
  await arrangeAccount(app, tenant, 'owner'),
  await arrangeAccount(app, tenant, 'admin'),
  await arrangeAccount(app, tenant, 'viewer'),
  await arrangeAccount(app, foreign, 'owner'),
];
const path = `/api/workspaces/${tenant.workspaceId}/members`;
const password = 'correct horse';
const inviteTo = (workspaceId: string, body: object, caller: object) =>
  app.http.post(`/api/workspaces/${workspaceId}/members`, body, caller);
const invite = (email: string, role = 'viewer', caller: object = owner) =>
  inviteTo(tenant.workspaceId, { email, role }, caller);
const withdraw = (invitationId: string, caller: object = owner) =>
  app.http.delete(`/api/workspaces/${tenant.workspaceId}/invitations/${invitationId}`, caller);
const accept = (token: string, body: object = {}, { http } = app) =>
  http.post('/api/saas-auth/invitations/accept', { token, password, ...body });
const join = (token: string, caller: object) =>
  app.http.post('/api/saas-auth/me/invitations/accept', { token }, caller);
const lookUp = (token: string) => app.http.post('/api/saas-auth/invitations/look-up', { token });
const signUp = async (email: string) => {
  const { status, body, text } = await app.http.post('/api/saas-auth/signup', { email, password });
  assert.equal(status, 201, text);
  return { bearer: body.accessToken as string, user: body.user };
};
const arrangeUnverified = async (role?: 'admin') => {
  const account = await arrangeAccount(app, tenant, role);
  await app.owner.query('UPDATE accounts SET email_verified_at = NULL WHERE id = $1', [account.accountId]);
  return account;
};
/** Creates workspaces with the account as owner, and returns their ids. */
const arrangeWorkspacesOf = async ({ accountId }: { accountId: string }, count: number) => {
  const ids = Array.from({ length: count }, () => randomUUID());
  await app.owner.query(
    `INSERT INTO workspaces (id, name, slug) SELECT id, id::text, id::text FROM unnest($1::uuid[]) id`,
    [ids],
  );
  await app.owner.query(
    `INSERT INTO memberships (workspace_id, account_id, role) SELECT id, $2, 'owner' FROM unnest($1::uuid[]) id`,
    [ids, accountId],
  );
  return ids;
};
const entryOf = async (email: string) =>
  (await app.http.get(`${path}?limit=200`, viewer)).body.items.find(
    (item: { email: string }) => item.email === email,
  );

describe('POST /api/workspaces/{workspaceId}/members', () => {
  test('mails the token, stores only its fingerprint, and does not return it', async () => {
    const email = someEmail();
    const invited = await invite(` ${email.toUpperCase()} `, 'admin');
    assert.equal(invited.status, 201, invited.text);
    const { invitationId, createdAt, expiresAt, ...rest } = invited.body;
    assert.deepEqual(rest, {
      userId: null,
      email,
      displayName: null,
      role: 'admin',
      status: 'invited',
      invitedBy: owner.accountId,
    });
    const days = (Date.parse(expiresAt) - Date.parse(createdAt)) / 86_400_000;
    assert.ok(Math.abs(days - 7) < 0.001);
    assert.deepEqual(await entryOf(email), invited.body);

    const [mail, ...more] = await mailbox.mailsTo(email);
    assert.equal(more.length, 0);
    const token = await mailbox.secretTo(email);
    assert.match(token, /^gh_invite_[0-9a-f]{72}$/);
    const link = `${app.issuer}/invitation#token=${token}`;
    for (const word of [`${owner.accountId}@example.com`, link, 'as admin'])
      assert.ok(mail!.text.includes(word), word);
    assert.ok(!invited.text.includes(token));
    const stored = await app.owner.query(
      `SELECT to_jsonb(i)::text AS text FROM invitations i WHERE id = $1
     UNION ALL SELECT details::text FROM audit_records WHERE target_id = $1::text`,
      [invitationId],
    );
    assert.equal(stored.rows.length, 2);
    for (const { text } of stored.rows) assert.ok(!text.includes(token.slice(-64)));
  });
});

describe('POST /api/saas-auth/invitations/accept', () => {
  test('creates an account with the password, even when sign-up is closed', async () => {
    const email = someEmail();
    await invite(email, 'admin');
    const token = await mailbox.secretTo(email);
    const seen = await lookUp(token);
    assert.equal(seen.status, 200, seen.text);
    const { expiresAt, workspaceName, ...words } = seen.body;
    assert.deepEqual(words, {
      email,
      role: 'admin',
      invitedBy: `${owner.accountId}@example.com`,
      hasAccount: false,
    });
    assert.ok(workspaceName && expiresAt);

    const accepted = await accept(token, { displayName: ' Ada ' }, closed);
    assert.equal(accepted.status, 201, accepted.text);
    const { accessToken, refreshToken, user, membership, tokenType, expiresIn } = accepted.body;
    assert.deepEqual([tokenType, expiresIn, user.email, user.displayName], ['Bearer', 900, email, 'Ada']);
    assert.equal(user.isPlatformAdmin, false);
    assert.deepEqual((await app.http.get('/api/saas-auth/me', { bearer: accessToken })).body, {
      user,
      memberships: [membership],
    });
    assert.partialDeepStrictEqual(membership, {
      workspaceId: tenant.workspaceId,
      role: 'admin',
      workspaceName,
    });
    assert.equal((await app.http.post('/api/saas-auth/refresh', { refreshToken })).status, 200);
    assert.equal((await app.http.post('/api/saas-auth/login', { email, password })).status, 200);
    assert.partialDeepStrictEqual(await entryOf(email), { userId: user.id, status: 'active', role: 'admin' });

    const { rows } = await app.owner.query(
      `SELECT action, details, ip_address, request_id FROM audit_records WHERE actor_id = $1 ORDER BY id`,
      [user.id],
    );
    assert.deepEqual(
      rows.map((row) => row.action),
      ['account.created', 'member.joined'],
    );
    assert.deepEqual(rows[1].details.after, { email, role: 'admin' });
    assert.equal(rows[1].request_id, accepted.headers.get('x-request-id'));
    assert.equal(rows[1].ip_address, '127.0.0.1');
  });

  test('accepts only the password of the existing account', async () => {
    const email = someEmail();
    const { user } = await signUp(email);
    await invite(email);
    const token = await mailbox.secretTo(email);
    assert.equal((await lookUp(token)).body.hasAccount, true);
    const wrong = await accept(token, { password: 'wrong horse', displayName: 'Eve' });
    assert.deepEqual([wrong.status, wrong.body.code], [401, 'invalid_credentials']);
    const right = await accept(token);
    assert.equal(right.status, 200, right.text);
    assert.deepEqual(right.body.user, { ...user, emailVerified: true });
    assert.equal((await app.http.get(path, { bearer: right.body.accessToken })).status, 200);
  });

  test('counts wrong passwords together with those of the login', async () => {
    const email = someEmail();
    await signUp(email);
    await invite(email);
    const token = await mailbox.secretTo(email);
    for (let guess = 0; guess < 10; guess++) {
      const attempt =
        guess % 2
          ? accept(token, { password: `wrong horse ${guess}` })
          : app.http.post('/api/saas-auth/login', { email, password: `wrong horse ${guess}` });
      assert.equal((await attempt).status, 401);
    }
    const refused = await accept(token);
    assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_attempts']);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
  });
});

describe('POST /api/saas-auth/me/invitations/accept', () => {
  test('joins the workspace with the invited account, and returns 403 to another account', async () => {
    const email = someEmail();
    const account = await signUp(email);
    await invite(email);
    const token = await mailbox.secretTo(email);
    const refused = await join(token, stranger);
    assert.deepEqual([refused.status, refused.body.code], [403, 'forbidden']);
    assert.equal((await app.http.get(path, stranger)).status, 404);
    for (const caller of [{}, { bearer: 'x' }, tenant]) assert.equal((await join(token, caller)).status, 401);
    const joined = await join(token, account);
    assert.equal(joined.status, 200, joined.text);
    assert.partialDeepStrictEqual(joined.body, { workspaceId: tenant.workspaceId, role: 'viewer' });
    assert.equal((await app.http.get(path, account)).status, 200);
    assert.equal((await join(token, account)).body.code, 'invitation_not_found');
  });
});

describe('tokens of invitations', () => {
  test('accepts a token once when requests run in parallel', async () => {
    for (const hasAccount of [false, true]) {
      const email = someEmail();
      const account = hasAccount ? await signUp(email) : undefined;
      const { token } = await arrangeInvitation(app, tenant, { email });
      const uses = Array.from({ length: 8 }, (_, use) =>
        account && use % 2 ? join(token, account) : accept(token, {}, use % 3 ? app : closed),
      );
      const statuses = (await Promise.all(uses)).map((answer) => answer.status);
      assert.equal(statuses.filter((status) => status < 300).length, 1, String(statuses));
      assert.equal(statuses.filter((status) => status === 404).length, 7, String(statuses));
      const { rows } = await app.owner.query('SELECT count(*)::int AS count FROM accounts WHERE email = $1', [
        email,
      ]);
      assert.equal(rows[0].count, 1);
    }
  });

  test('returns the same 404 for every invalid token', async () => {
    const account = await signUp(someEmail());
    const { email } = account.user;
    const arrange = async () => {
      await app.owner.query('UPDATE invitations SET ended_at = now() WHERE email = $1 AND ended_at IS NULL', [
        email,
      ]);
      return arrangeInvitation(app, tenant, { email });
    };
    const replaced = await arrange();
    await app.owner.query(`UPDATE invitations SET created_at = now() - interval '2 days'`);
    assert.equal((await invite(email)).status, 201);
    const withdrawn = await arrange();
    assert.equal((await withdraw(withdrawn.id)).status, 204);
    const { token: good } = await arrange();
    const expired = await arrangeInvitation(app, foreign, { email });
    await app.owner.query('UPDATE invitations SET expires_at = now() WHERE id = $1', [expired.id]);
    const bad = [
      replaced.token,
      withdrawn.token,
      expired.token,
      newOpaqueToken('invite'),
      good.slice(0, -1),
      `${good}0`,
      good.toUpperCase(),
      newOpaqueToken('game'),
      'x',
      "' OR 1=1 --",
    ];
    for (const token of bad)
      for (const answer of [await accept(token), await join(token, account), await lookUp(token)]) {
        assert.equal(answer.status, 404, token);
        assert.equal(answer.body.code, 'invitation_not_found');
        assert.match(answer.body.detail, /^The invitation was used, withdrawn or replaced/);
      }
    for (const token of ['', 5, null, 'x'.repeat(513), 'a\u0000'])
      assert.equal((await accept(token as string)).status, 400, String(token));
    assert.equal((await join(good, account)).status, 200);
  });

  test('returns 400 when password or display name are out of bounds', async () => {
    const { token } = await arrangeInvitation(app, tenant, { email: someEmail() });
    for (const bad of [
      { password: '1234567' },
      { password: 'x'.repeat(129) },
      { password: null },
      { password: undefined },
      { displayName: ' ' },
      { displayName: 'x'.repeat(129) },
      { displayName: '\u200b' },
    ])
      assert.equal((await accept(token, bad)).status, 400, JSON.stringify(bad));
    assert.equal((await accept(token, { password: '12345678', displayName: '🎮'.repeat(128) })).status, 201);
  });
});

describe('limits and rules of invitations', () => {
  test('does not reveal whether the address has an account', async () => {
    const [known, unknown] = [someEmail(), someEmail()];
    await signUp(known);
    const shape = async (email: string) => {
      const { status, body } = await invite(email);
      const [mail] = await mailbox.mailsTo(email);
      const { invitationId, createdAt, expiresAt, ...rest } = body;
      const token = await mailbox.secretTo(email);
      return JSON.stringify([status, rest, mail!.text.replaceAll(token, '')]).replaceAll(email, '');
    };
    assert.equal(await shape(known), await shape(unknown));
  });

  test('replaces the first invitation when the address is invited again', async () => {
    const email = someEmail();
    const first = (await invite(email, 'admin')).body;
    const token = await mailbox.secretTo(email);
    const again = await invite(email, 'viewer', admin);
    assert.equal(again.status, 201);
    assert.notEqual(again.body.invitationId, first.invitationId);
    assert.deepEqual(await entryOf(email), again.body);
    assert.equal((await accept(token)).status, 404);
    assert.equal((await accept(await mailbox.secretTo(email))).body.membership.role, 'viewer');
    const { rows } = await app.owner.query(`SELECT details FROM audit_records WHERE target_id = $1`, [
      again.body.invitationId,
    ]);
    assert.partialDeepStrictEqual(rows[0].details, {
      before: { email, role: 'admin' },
      after: { email, role: 'viewer' },
    });
  });

  test('returns 409 when the address belongs to a member', async () => {
    const refused = await invite(`${viewer.accountId}@EXAMPLE.com`);
    assert.deepEqual([refused.status, refused.body.code], [409, 'already_member']);
  });

  test('allows 100 members and open invitations of a workspace, then returns 409', async () => {
    const full = await arrangeTenant(app);
    const [boss, leaver] = [
      await arrangeAccount(app, full, 'owner'),
      await arrangeAccount(app, full, 'viewer'),
    ];
    // An expired and a withdrawn invitation do not count.
    await app.owner.query(
      `INSERT INTO invitations (id, workspace_id, email, role, token_hash, invited_by, created_at, expires_at, ended_at)
       SELECT gen_random_uuid(), $1, n || '@full.example', 'viewer', sha256(gen_random_uuid()::text::bytea), $2, now() - interval '2 days',
              now() + CASE WHEN n = 98 THEN interval '-1 hour' ELSE interval '1 day' END, CASE WHEN n = 99 THEN now() END
       FROM generate_series(1, 99) n`,
      [full.workspaceId, boss.accountId],
    );
    const inviteToFull = (email: string) => inviteTo(full.workspaceId, { email, role: 'viewer' }, boss);
    const statuses = await Promise.all(
      Array.from({ length: 6 }, async () => (await inviteToFull(someEmail())).status),
    );
    assert.deepEqual(statuses.toSorted(), [201, 409, 409, 409, 409, 409]);
    const refused = await inviteToFull(someEmail());
    assert.deepEqual([refused.status, refused.body.code], [409, 'member_limit']);
    assert.equal((await inviteToFull('98@full.example')).status, 409, 'an expired invitation has no place');
    assert.equal((await inviteToFull('1@full.example')).status, 201, 'a replaced invitation keeps its place');
    await app.http.delete(`/api/workspaces/${full.workspaceId}/members/${leaver.accountId}`, boss);
    assert.equal((await inviteToFull(someEmail())).status, 201);
    assert.equal((await inviteToFull(someEmail())).status, 409);
  });

  test('lets admins invite, but only owners invite owners', async () => {
    assert.equal((await invite(someEmail(), 'viewer', viewer)).status, 403);
    assert.equal((await invite(someEmail(), 'viewer', stranger)).status, 404);
    assert.equal((await invite(someEmail(), 'admin', admin)).status, 201);
    assert.equal((await invite(someEmail(), 'owner', admin)).status, 403);
    const email = someEmail();
    const { invitationId } = (await invite(email, 'owner')).body;
    assert.equal(
      (await invite(email, 'viewer', admin)).status,
      403,
      'it would replace the invitation of an owner',
    );
    assert.equal((await withdraw(invitationId, admin)).status, 403);
    assert.equal((await withdraw(invitationId, viewer)).status, 403);
    assert.equal((await withdraw(invitationId, stranger)).status, 404);
    assert.equal((await withdraw(invitationId)).status, 204);
  });

  test('lets admins invite the address of an expired invitation of an owner', async () => {
    const email = someEmail();
    const { invitationId } = (await invite(email, 'owner')).body;
    await app.owner.query('UPDATE invitations SET expires_at = now() WHERE id = $1', [invitationId]);
    assert.equal((await invite(email, 'owner', admin)).status, 403);
    const invited = await invite(email, 'viewer', admin);
    assert.equal(invited.status, 201, invited.text);
  });

  test('removes and audits a withdrawn invitation, then returns 404', async () => {
    const email = someEmail();
    const { invitationId } = (await invite(email)).body;
    const elsewhere = `/api/workspaces/${foreign.workspaceId}/invitations/${invitationId}`;
    assert.equal((await app.http.delete(elsewhere, stranger)).status, 404);
    const withdrawn = await withdraw(invitationId.toUpperCase(), admin);
    assert.equal(withdrawn.status, 204);
    assert.equal(await entryOf(email), undefined);
    for (const id of [invitationId, randomUUID(), 'x']) assert.equal((await withdraw(id)).status, 404, id);
    const { rows } = await app.owner.query(
      `SELECT actor_id, details, request_id FROM audit_records WHERE target_id = $1 AND action = 'invitation.withdrawn'`,
      [invitationId],
    );
    assert.deepEqual(rows, [
      {
        actor_id: admin.accountId,
        details: { before: { email, role: 'viewer' } },
        request_id: withdrawn.headers.get('x-request-id'),
      },
    ]);
  });

  test('returns 429 after 5 invitations per day from one workspace to one address', async () => {
    const email = someEmail();
    const callers = [owner, admin, owner, admin, owner, admin, owner, admin];
    const answers = await Promise.all(callers.map((caller) => invite(email, 'viewer', caller)));
    const statuses = answers.map((answer) => answer.status).toSorted();
    assert.deepEqual(statuses, [201, 201, 201, 201, 201, 429, 429, 429]);
    const refused = await invite(email);
    assert.equal(refused.body.code, 'too_many_attempts');
    const seconds = Number(refused.headers.get('retry-after'));
    assert.ok(seconds > 86_000 && seconds <= 86_400, String(seconds));
    assert.equal((await mailbox.mailsTo(email)).length, 5);
    assert.equal((await inviteTo(foreign.workspaceId, { email, role: 'viewer' }, stranger)).status, 201);

    await app.owner.query(
      `UPDATE invitations SET created_at = created_at - interval '1 day' WHERE email = $1`,
      [email],
    );
    assert.equal((await invite(email)).status, 201);
  });

  test('returns 429 after 5 invitations per day from one account to one address, over its workspaces', async () => {
    const email = someEmail();
    const busy = await arrangeAccount(app, tenant);
    const workspaces = await arrangeWorkspacesOf(busy, 8);
    const answers = await Promise.all(
      workspaces.map((workspaceId) => inviteTo(workspaceId, { email, role: 'viewer' }, busy)),
    );
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted(),
      [201, 201, 201, 201, 201, 429, 429, 429],
    );
    assert.equal((await invite(email)).status, 201, 'another account is not affected');
  });

  test('lets accounts with unverified addresses send an address 5 invitations per day together', async () => {
    const email = someEmail();
    const strangers = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const caller = await arrangeUnverified();
        return { caller, workspaces: await arrangeWorkspacesOf(caller, 2) };
      }),
    );
    const answers = await Promise.all(
      strangers.flatMap(({ caller, workspaces }) =>
        workspaces.map((workspaceId) => inviteTo(workspaceId, { email, role: 'viewer' }, caller)),
      ),
    );
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted(),
      [201, 201, 201, 201, 201, 429, 429, 429],
    );
    const refused = answers.find(({ status }) => status === 429);
    assert.match(refused!.body.detail, /Verify your address/);
    for (let mail = 0; mail < 5; mail++)
      assert.equal((await invite(email)).status, 201, 'a studio keeps its invitations');
    assert.equal((await mailbox.mailsTo(email)).length, 10);
  });

  test('counts withdrawn invitations, and a rejected invitation keeps the previous one', async () => {
    const email = someEmail();
    for (let mail = 0; mail < 4; mail++) await withdraw((await invite(email)).body.invitationId);
    const last = (await invite(email)).body;
    const token = await mailbox.secretTo(email);
    assert.equal((await invite(email, 'admin')).status, 429);
    assert.deepEqual(await entryOf(email), last);
    assert.equal((await accept(token)).body.membership.role, 'viewer');
  });

  test('returns 429 after 100 invitations per day by one account', async () => {
    const busy = await arrangeAccount(app, tenant, 'admin');
    await app.owner.query(
      `INSERT INTO invitations (id, workspace_id, email, role, token_hash, invited_by, expires_at, ended_at)
     SELECT gen_random_uuid(), $1, n || '@example.org', 'viewer', sha256(n::text::bytea), $2, now(), now()
     FROM generate_series(1, 99) n`,
      [tenant.workspaceId, busy.accountId],
    );
    assert.equal((await invite(someEmail(), 'viewer', busy)).status, 201);
    const refused = await invite(someEmail(), 'viewer', busy);
    assert.equal(refused.status, 429);
    assert.match(refused.body.detail, /^You have sent 100 invitations/);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);

    await app.owner.query(
      `UPDATE invitations SET created_at = created_at - interval '1 day' WHERE invited_by = $1`,
      [busy.accountId],
    );
    assert.equal((await invite(someEmail(), 'viewer', busy)).status, 201);
  });

  test('returns 429 after 10 invitations per day by an account with an unverified address', async () => {
    const careless = await arrangeUnverified('admin');
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => invite(someEmail(), 'viewer', careless)),
    );
    assert.equal(answers.filter(({ status }) => status === 201).length, 10);
    assert.equal(answers.filter(({ status }) => status === 429).length, 2);
  });

  test('counts the invitations that one account sends from several workspaces at once', async () => {
    const careless = await arrangeUnverified('admin');
    for (let mail = 0; mail < 9; mail++)
      assert.equal((await invite(someEmail(), 'viewer', careless)).status, 201);
    const workspaces = await arrangeWorkspacesOf(careless, 4);
    await whileLocked(
      app,
      // Requests can count the invitations, but not add one.
      async (holder) => void (await holder.query('LOCK TABLE invitations IN SHARE ROW EXCLUSIVE MODE')),
      async (waiting, release) => {
        const sent = workspaces.map((workspaceId) =>
          inviteTo(workspaceId, { email: someEmail(), role: 'viewer' }, careless),
        );
        await waiting(workspaces.length);
        await release();
        const statuses = (await Promise.all(sent)).map(({ status }) => status);
        assert.deepEqual(statuses.toSorted(), [201, 429, 429, 429]);
      },
    );
  });

  test('verifies the address when the invitation is accepted', async () => {
    const email = someEmail();
    const { user, bearer } = await signUp(email);
    assert.equal(user.emailVerified, false);
    await invite(email);
    assert.equal((await join(await mailbox.secretTo(email), { bearer })).status, 200);
    const me = await app.http.get('/api/saas-auth/me', { bearer });
    assert.equal(me.body.user.emailVerified, true);
    const invited = someEmail();
    await invite(invited);
    const created = await accept(await mailbox.secretTo(invited));
    assert.equal(created.body.user.emailVerified, true);
  });

  test('creates either a member or an invitation when both requests run in parallel', async () => {
    for (let round = 0; round < 5; round++) {
      const email = someEmail();
      const { token } = await arrangeInvitation(app, tenant, { email });
      const account = await signUp(email);
      const [joined, invited] = await Promise.all([join(token, account), invite(email)]);
      const both = `${joined.status} ${invited.status}`;
      assert.ok(['200 409', '404 201'].includes(both), both);
    }
  });

  test('returns 400 for invalid bodies', async () => {
    const email = someEmail();
    for (const body of [
      {},
      { email },
      { role: 'viewer' },
      { email: 'nobody', role: 'viewer' },
      { email: 5, role: 'viewer' },
      { email, role: 'Owner' },
      { email: `${'x'.repeat(250)}@example.com`, role: 'viewer' },
    ])
      assert.equal((await inviteTo(tenant.workspaceId, body, owner)).status, 400, JSON.stringify(body));
    const again = await inviteTo(tenant.workspaceId, { email, role: 'viewer', userId: randomUUID() }, owner);
    assert.equal(again.status, 201, 'unknown fields are ignored');
  });

  test('mails no address of an inviter that a mail client could turn into a link to a page', async () => {
    const email = someEmail();
    const inviter = await signUp(`www.evil.example/prize-${randomUUID()}@example.com`);
    const [workspaceId = ''] = await arrangeWorkspacesOf({ accountId: inviter.user.id }, 1);
    assert.equal((await inviteTo(workspaceId, { email, role: 'viewer' }, inviter)).status, 201);
    const [mail] = await mailbox.mailsTo(email);
    assert.match(mail?.text ?? '', /^“www evil example prize-[^”]*” invites you/);
    assert.doesNotMatch(mail?.text ?? '', /evil\.example/);
  });

  test('escapes line breaks and markup of the workspace name in the email', async () => {
    const studio = await arrangeTenant(app);
    const caller = await arrangeAccount(app, studio, 'owner');
    const name = 'Evil\n\n    gh_invite_fake <b>studio</b>';
    await app.http.patch(`/api/workspaces/${studio.workspaceId}`, { name }, caller);
    const email = someEmail();
    await inviteTo(studio.workspaceId, { email, role: 'viewer' }, caller);
    assert.match(await mailbox.secretTo(email), /^gh_invite_[0-9a-f]{72}$/);
  });
});

describe('deleteOldInvitations', () => {
  test('deletes old invitations and keeps those that still count', async () => {
    const [counting, ended, expired, open] = await Promise.all(
      Array.from({ length: 4 }, () => arrangeInvitation(app, tenant, { email: someEmail() })),
    );
    const set = (assignment: string, { id }: { id: string }) =>
      app.owner.query(`UPDATE invitations SET ${assignment} WHERE id = $1`, [id]);
    await set(`ended_at = now() - interval '23 hours'`, counting!);
    await set(`ended_at = now() - interval '25 hours'`, ended!);
    await set(`expires_at = now() - interval '31 days'`, expired!);
    const database = openDatabase(app.databaseUrl, { poolSize: 1 });
    await deleteOldInvitations(database.forPlatform());
    await database.close();
    const ids = [counting, ended, expired, open].map((one) => one!.id);
    const { rows } = await app.owner.query('SELECT id FROM invitations WHERE id = ANY($1)', [ids]);
    assert.deepEqual(new Set(rows.map((row) => row.id)), new Set([counting!.id, open!.id]));
  });
});
