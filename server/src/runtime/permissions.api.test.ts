import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roles } from '../core/role.ts';
import { arrangeAccount, arrangePlatformAdmin, arrangePlayer, arrangeTenant } from '../testing/arrange.ts';
import { accountRules, operationsOf, sendByRule, type Rule } from '../testing/account-operations.ts';
import type { Caller } from '../testing/http-client.ts';
import { someEmail } from '../testing/mailbox.ts';
import { startTestApp } from '../testing/test-app.ts';

// The permissions of each operation of the OpenAPI document that takes a console account, tried by each kind of caller.
// An operation without a rule below fails. So does one that changes something and leaves no audit record.

const app = await startTestApp();
const elsewhere = await arrangeTenant(app);
const accounts = {
  stranger: await arrangeAccount(app, elsewhere, 'owner'),
  viewer: await arrangeAccount(app, elsewhere),
  admin: await arrangeAccount(app, elsewhere),
  owner: await arrangeAccount(app, elsewhere),
  platformAdmin: await arrangePlatformAdmin(app),
};
type AccountName = keyof typeof accounts;

const rules = accountRules(app, accounts);
const { body: document } = await app.http.get('/openapi.json');
const operations = operationsOf(document).filter(({ security }) => security?.some((one) => 'account' in one));

test('every operation behind a console account has a rule, and every rule an operation', () => {
  assert.deepEqual(
    operations.map(({ operationId }) => operationId).toSorted(),
    Object.keys(rules).toSorted(),
  );
});

test('the document declares the role that each operation needs', () => {
  for (const { operationId, 'x-required-role': declared } of operations) {
    const { needs, declares = needs } = rules[operationId] ?? { needs: 'account' };
    assert.equal(
      declared,
      roles.find((role) => role === declares),
      operationId,
    );
  }
});

for (const operation of operations) {
  const { operationId, method } = operation;
  const rule = rules[operationId];
  if (!rule) continue;

  test(`${operationId} requires ${rule.needs}, and refuses all other callers`, async () => {
    const tenant = await arrangeTenant(app);
    // An account that owns the workspaces of all tests could not create another one.
    const members = roles.map((role) => accounts[role].accountId);
    await app.owner.query('DELETE FROM memberships WHERE account_id = ANY($1)', [members]);
    for (const role of roles)
      await app.owner.query('INSERT INTO memberships (workspace_id, account_id, role) VALUES ($1, $2, $3)', [
        tenant.workspaceId,
        accounts[role].accountId,
        role,
      ]);
    const player = await arrangePlayer(app, tenant);
    const strangers: [string, Caller][] = [
      ['nobody', {}],
      ['a game key', { gameKey: tenant.gameKey }],
      ['an API key', { apiKey: tenant.apiKey }],
      ['a player', { bearer: player.accessToken }],
      ['a player with a game key', player.caller],
    ];
    const takesApiKeys = operation.security!.some((one) => 'apiKey' in one);
    for (const [who, caller] of strangers) {
      const { status, text } = await sendByRule(app, operation, rule, { tenant, email: someEmail() }, caller);
      if (who === 'an API key' && takesApiKeys) assert.ok(status < 300, text);
      else assert.equal(status, 401, `${who}: ${text}`);
    }

    const requests: string[] = [];
    for (const [name, account] of Object.entries(accounts) as [
      AccountName,
      Caller & { accountId: string },
    ][]) {
      const email = `${account.accountId}@example.com`;
      const answer = await sendByRule(app, operation, rule, { tenant, email }, account);
      const expected = expectedStatus(rule, name);
      if (expected) assert.equal(answer.status, expected, `${name}: ${answer.text}`);
      else assert.ok(answer.status < 300, `${name}: ${answer.text}`);
      if (!expected) requests.push(answer.headers.get('x-request-id')!);
    }

    if (method === 'GET' || rule.unaudited) return;
    const { rows } = await app.owner.query(
      `SELECT actor_id, ip_address, details FROM audit_records WHERE request_id = ANY($1)`,
      [requests],
    );
    assert.ok(rows.length > 0, `${operationId} leaves no audit record`);
    for (const { actor_id, ip_address, details } of rows) {
      assert.ok(Object.values(accounts).some(({ accountId }) => accountId === actor_id));
      assert.equal(ip_address, '127.0.0.1');
      assert.notDeepEqual(details, {}, `${operationId} says what it changed`);
    }
  });
}

/** The refusal of an account, or undefined if it has permission. */
function expectedStatus({ needs }: Rule, name: AccountName): 403 | 404 | undefined {
  if (needs === 'account') return undefined;
  if (needs === 'platformAdmin') return name === 'platformAdmin' ? undefined : 403;
  if (name === 'stranger' || name === 'platformAdmin') return 404;
  return roles.indexOf(name) < roles.indexOf(needs) ? 403 : undefined;
}
