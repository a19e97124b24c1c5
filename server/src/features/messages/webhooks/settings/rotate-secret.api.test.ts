import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { arrangeAccount, arrangePlatformAdmin, arrangeTenant } from '../../../../testing/arrange.ts';
import { startTestApp } from '../../../../testing/test-app.ts';

const app = await startTestApp();
const tenant = await arrangeTenant(app);
const admin = await arrangeAccount(app, tenant, 'admin');
const platformAdmin = await arrangePlatformAdmin(app);
const webhooks = `/api/workspaces/${tenant.workspaceId}/webhooks`;

async function created(path = webhooks, caller: object = admin) {
  const answer = await app.http.post(path, { url: 'https://hooks.example.com' }, caller);
  assert.equal(answer.status, 201, answer.text);
  return answer.body as { id: string; secret: string };
}

describe('POST /api/workspaces/:workspaceId/webhooks/:webhookId/rotate-secret', () => {
  test('uses an overlap of one day without a body', async () => {
    const { id, secret } = await created();
    const rotated = await app.http.post(`${webhooks}/${id}/rotate-secret`, undefined, admin);
    assert.equal(rotated.status, 200, rotated.text);
    assert.notEqual(rotated.body.secret, secret);
    const left = Date.parse(rotated.body.previousSecretUntil) - Date.now();
    assert.ok(Math.abs(left - 86_400_000) < 60_000, `${left}`);
  });

  const rotate = (id: string, body?: object, key?: string, path = webhooks, caller: object = admin) =>
    app.http.post(`${path}/${id}/rotate-secret`, body, {
      ...caller,
      ...(key && { headers: { 'idempotency-key': key } }),
    });
  const rotationsOf = async (id: string) => {
    const { rows } = await app.owner.query(
      `SELECT FROM audit_records WHERE action = 'webhook.secret_rotated' AND target_id = $1`,
      [id],
    );
    return rows.length;
  };

  test('returns 409 while 5 earlier secrets sign, even to parallel requests, and an overlap of 0 ends them', async () => {
    const { id } = await created();
    const answers = await Promise.all(Array.from({ length: 7 }, () => rotate(id)));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 200, 200, 200, 200, 409, 409]);
    const refused = await rotate(id, { overlapSeconds: 600 });
    assert.deepEqual([refused.status, refused.body.code], [409, 'conflict']);
    assert.equal(await rotationsOf(id), 5);
    const last = await rotate(id, { overlapSeconds: 0 });
    assert.deepEqual([last.status, last.body.previousSecretUntil], [200, null]);
    assert.equal((await rotate(id)).status, 200);
  });

  for (const [owner, path, caller] of [
    ['a workspace', webhooks, admin],
    ['the deployment', '/api/admin/webhooks', platformAdmin],
  ] as const)
    test(`rotates once for requests of ${owner} with one Idempotency-Key, and shows the secret once`, async () => {
      const { id } = await created(path, caller);
      const key = randomUUID();
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => rotate(id, { overlapSeconds: 60 }, key, path, caller)),
      );
      for (const { status, text } of answers) assert.equal(status, 200, text);
      const [first, ...others] = answers
        .map(({ body }) => body)
        .toSorted((body) => ('secret' in body ? -1 : 1));
      assert.match(first.secret, /^whsec_/);
      const { secret: _, ...shown } = first;
      for (const body of others) assert.deepEqual(body, shown);
      assert.equal(await rotationsOf(id), 1);

      const other = await rotate(id, { overlapSeconds: 600 }, key, path, caller);
      assert.deepEqual([other.status, other.body.code], [422, 'idempotency_key_reused']);
      assert.ok((await rotate(id, { overlapSeconds: 60 }, randomUUID(), path, caller)).body.secret);
      assert.equal(await rotationsOf(id), 2);
    });
});
