import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { arrangeAccount, arrangeTenant } from '../../../testing/arrange.ts';
import { eventually } from '../../../testing/eventually.ts';
import { arrangeInvitation } from '../../../testing/invitations.ts';
import { someEmail } from '../../../testing/mailbox.ts';
import { startTestApp } from '../../../testing/test-app.ts';

const app = await startTestApp();
const other = await startTestApp({ databaseUrl: app.databaseUrl });
const foreign = await arrangeTenant(app);
const stranger = await arrangeAccount(app, foreign, 'owner');

type Member = Awaited<ReturnType<typeof arrangeAccount>>;
type Role = 'owner' | 'admin' | 'viewer';

/** Creates a workspace with one member of each role. */
async function arrangeTeam() {
  const tenant = await arrangeTenant(app);
  const path = `/api/workspaces/${tenant.workspaceId}/members`;
  const join = (role: Role) => arrangeAccount(app, tenant, role);
  const [owner, admin, viewer] = [await join('owner'), await join('admin'), await join('viewer')];
  return {
    tenant,
    path,
    owner,
    admin,
    viewer,
    join,
    list: (caller: Member, query = '') => app.http.get(`${path}${query}`, caller),
    change: (userId: string, role: unknown, caller: Member, { http } = app) =>
      http.patch(`${path}/${userId}`, { role }, caller),
    remove: (userId: string, caller: Member, { http } = app) => http.delete(`${path}/${userId}`, caller),
    records: async () =>
      (
        await app.owner.query(
          `SELECT action, actor_id, target_id, details, ip_address, request_id FROM audit_records
           WHERE workspace_id = $1 ORDER BY id`,
          [tenant.workspaceId],
        )
      ).rows,
  };
}

describe('GET /api/workspaces/{workspaceId}/members', () => {
  test('returns members in the order in which they joined, then open invitations', async () => {
    const { tenant, owner, admin, viewer, list } = await arrangeTeam();
    const email = someEmail();
    const invitation = await arrangeInvitation(app, tenant, { email });
    const { items } = (await list(viewer)).body;
    const inviter = items[3].userId;
    assert.deepEqual(
      items.map((item: { userId: string }) => item.userId),
      [owner.accountId, admin.accountId, viewer.accountId, inviter, null],
    );
    const { createdAt, ...first } = items[0];
    assert.match(createdAt, /Z$/);
    assert.deepEqual(first, {
      userId: owner.accountId,
      invitationId: null,
      email: `${owner.accountId}@example.com`,
      displayName: null,
      role: 'owner',
      status: 'active',
      invitedBy: null,
      expiresAt: null,
    });
    assert.partialDeepStrictEqual(items[4], {
      invitationId: invitation.id,
      email,
      role: 'viewer',
      status: 'invited',
      invitedBy: inviter,
    });
    await app.owner.query(`UPDATE invitations SET expires_at = now() WHERE id = $1`, [invitation.id]);
    assert.equal((await list(viewer)).body.items[4].status, 'expired');

    const page = (await list(viewer, '?limit=2&offset=3')).body;
    assert.deepEqual(
      [page.items.length, page.totalCount, page.limit, page.offset, page.items[1].email],
      [2, 5, 2, 3, email],
    );
    for (const query of ['?limit=0', '?limit=201', '?offset=-1', '?limit=x'])
      assert.equal((await list(viewer, query)).status, 400, query);
  });
});

describe('PATCH and DELETE /api/workspaces/{workspaceId}/members/{userId}', () => {
  test('applies a changed role in every process', async () => {
    const { tenant, owner, viewer, change } = await arrangeTeam();
    const rename = ({ http } = app) =>
      http.patch(`/api/bus_tenants/${tenant.tenantId}`, { name: 'x' }, viewer);
    for (const [role, status] of [
      ['admin', 200],
      ['viewer', 403],
      ['owner', 200],
      ['viewer', 403],
    ] as const) {
      const changed = await change(viewer.accountId, role, owner);
      assert.deepEqual([changed.status, changed.body.role], [200, role], changed.text);
      assert.equal((await rename()).status, status);
      await eventually(async () => (await rename(other)).status === status);
    }
  });

  test('ends the access of a removed member in every process, even with a valid token', async () => {
    const { tenant, owner, viewer, remove } = await arrangeTeam();
    const reads = [`/api/workspaces/${tenant.workspaceId}`, `/api/bus_tenants/${tenant.tenantId}`];
    const statuses = ({ http } = app) =>
      Promise.all(reads.map(async (path) => (await http.get(path, viewer)).status));
    for (const process of [app, other]) assert.deepEqual(await statuses(process), [200, 200]);
    assert.equal((await remove(viewer.accountId, owner)).status, 204);
    assert.deepEqual(await statuses(), [404, 404]);
    await eventually(async () => String(await statuses(other)) === '404,404');
    assert.equal((await app.http.get('/api/saas-auth/me', viewer)).status, 200, 'the account still works');
    assert.equal((await remove(viewer.accountId, owner)).status, 404);
  });

  test('returns 403 when an admin assigns, changes or removes an owner', async () => {
    const { owner, admin, viewer, join, change, remove } = await arrangeTeam();
    const second = await join('owner');
    for (const [userId, role] of [
      [viewer.accountId, 'owner'],
      [admin.accountId, 'owner'],
      [second.accountId, 'admin'],
      [second.accountId, 'owner'],
    ] as const) {
      const refused = await change(userId, role, admin);
      assert.deepEqual([refused.status, refused.body.detail], [403, 'This needs the role owner.']);
    }
    assert.equal((await remove(second.accountId, admin)).status, 403);
    assert.equal((await change(viewer.accountId, 'admin', admin)).status, 200);
    assert.equal((await change(viewer.accountId, 'viewer', admin)).status, 200);
    assert.equal(
      (await change(admin.accountId, 'viewer', admin)).status,
      200,
      'an admin can lower their own role',
    );
    assert.equal(
      (await change(viewer.accountId, 'admin', admin)).status,
      403,
      'the account is no longer an admin',
    );
    assert.equal((await change(admin.accountId, 'owner', owner)).status, 200);
    assert.equal((await remove(second.accountId, owner)).status, 204);
  });

  test('lets every member leave, and returns 403 when a viewer removes another member', async () => {
    const { owner, admin, viewer, remove, list, records } = await arrangeTeam();
    for (const victim of [owner, admin]) assert.equal((await remove(victim.accountId, viewer)).status, 403);
    assert.equal((await remove(randomUUID(), viewer)).status, 403, 'the same status as for a member');
    for (const leaver of [viewer, admin]) assert.equal((await remove(leaver.accountId, leaver)).status, 204);
    assert.equal((await list(owner)).body.totalCount, 1);
    assert.deepEqual(
      (await records()).map(({ action, target_id }) => [action, target_id]),
      [
        ['member.left', viewer.accountId],
        ['member.left', admin.accountId],
      ],
    );
  });

  test('returns 409 when the last owner leaves or is demoted', async () => {
    const { owner, join, change, remove } = await arrangeTeam();
    const demoted = await change(owner.accountId, 'admin', owner);
    assert.deepEqual([demoted.status, demoted.body.code], [409, 'last_owner']);
    assert.equal((await remove(owner.accountId, owner)).body.code, 'last_owner');
    assert.equal((await change(owner.accountId, 'owner', owner)).status, 200, 'the role does not change');
    const second = await join('owner');
    assert.equal((await change(owner.accountId, 'viewer', owner)).status, 200);
    assert.equal((await remove(second.accountId, second)).status, 409);
  });

  test('keeps one owner when two owners step back or remove each other in parallel', async () => {
    const { tenant, owner, join, change, remove } = await arrangeTeam();
    let [one, two] = [owner, await join('owner')];
    const owners = async () => {
      const { rows } = await app.owner.query(
        `SELECT account_id FROM memberships WHERE workspace_id = $1 AND role = 'owner'`,
        [tenant.workspaceId],
      );
      return rows.map((row) => row.account_id);
    };
    const attempts = [
      () => [change(one.accountId, 'viewer', one), change(two.accountId, 'viewer', two, other)],
      () => [change(one.accountId, 'viewer', two), change(two.accountId, 'viewer', one, other)],
      () => [remove(one.accountId, one), remove(two.accountId, two, other)],
      () => [remove(one.accountId, two), change(two.accountId, 'admin', one, other)],
    ];
    for (let round = 0; round < 12; round++) {
      const answers = await Promise.all(attempts[round % attempts.length]!());
      const statuses = answers.map((answer) => answer.status);
      const left = await owners();
      assert.equal(left.length, 1, `round ${round}: ${statuses}`);
      assert.equal(statuses.filter((status) => status < 300).length, 1, `round ${round}: ${statuses}`);
      assert.ok(statuses.some((status) => [403, 404, 409].includes(status)));
      one = left[0] === one.accountId ? one : two;
      two = await join('owner');
    }
  });

  test('withdraws the invitations that the member can no longer send', async () => {
    const { owner, admin, change, remove, path, list, records } = await arrangeTeam();
    const invite = async (role: Role, caller: Member) => {
      const { status, text } = await app.http.post(path, { email: someEmail(), role }, caller);
      assert.equal(status, 201, text);
    };
    const open = async () =>
      (await list(owner)).body.items
        .filter((item: { status: string }) => item.status === 'invited')
        .map((item: { role: string }) => item.role);
    await change(admin.accountId, 'owner', owner);
    for (const role of ['owner', 'admin', 'viewer'] as const) await invite(role, admin);
    await invite('owner', owner);
    await change(admin.accountId, 'admin', owner);
    assert.deepEqual(await open(), ['admin', 'viewer', 'owner']);
    await remove(admin.accountId, owner);
    assert.deepEqual(await open(), ['owner']);
    const withdrawn = (await records()).filter(({ action }) => action === 'invitation.withdrawn');
    assert.equal(withdrawn.length, 3);
  });

  test('audits changes with author, difference and origin, and ignores a change without difference', async () => {
    const { owner, viewer, change, remove, records } = await arrangeTeam();
    await change(viewer.accountId, 'viewer', owner);
    const changed = await change(viewer.accountId, 'admin', owner);
    const removed = await remove(viewer.accountId, owner);
    const by = { actor_id: owner.accountId, target_id: viewer.accountId, ip_address: '127.0.0.1' };
    assert.deepEqual(await records(), [
      {
        ...by,
        action: 'member.role_changed',
        details: { before: { role: 'viewer' }, after: { role: 'admin' } },
        request_id: changed.headers.get('x-request-id'),
      },
      {
        ...by,
        action: 'member.removed',
        details: { before: { email: `${viewer.accountId}@example.com`, role: 'admin' } },
        request_id: removed.headers.get('x-request-id'),
      },
    ]);
  });

  test('returns 404 for accounts that are not members, and for other workspaces', async () => {
    const { owner, viewer, tenant, change, remove, path } = await arrangeTeam();
    for (const userId of [randomUUID(), 'x', stranger.accountId, tenant.workspaceId]) {
      assert.equal((await change(userId, 'viewer', owner)).status, 404, userId);
      assert.equal((await remove(userId, owner)).status, 404, userId);
    }
    assert.equal((await change(viewer.accountId, 'admin', stranger)).status, 404);
    assert.equal((await remove(viewer.accountId, stranger)).status, 404);
    assert.equal((await app.http.get(path, stranger)).status, 404);
    assert.equal((await change(viewer.accountId.toUpperCase(), 'admin', owner)).status, 200);
    const upper = await app.http.delete(`${path}/${viewer.accountId.toUpperCase()}`, viewer);
    assert.equal(upper.status, 204, 'leaving with the id in upper case');
  });

  test('returns 400 for invalid roles', async () => {
    const { owner, viewer, change } = await arrangeTeam();
    for (const role of ['Owner', '', 5, null, undefined, ['admin'], 'superuser'])
      assert.equal((await change(viewer.accountId, role, owner)).status, 400, String(role));
  });
});
