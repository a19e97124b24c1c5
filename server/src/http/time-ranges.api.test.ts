import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { arrangeAccount, arrangePlatformAdmin, arrangeTenant } from '../testing/arrange.ts';
import { operationsOf, type Operation } from '../testing/account-operations.ts';
import { withoutReferences } from '../testing/openapi.ts';
import { startTestApp } from '../testing/test-app.ts';

const app = await startTestApp({ env: { ALLOW_PRIVATE_ADDRESSES: 'on' } });
const tenant = await arrangeTenant(app);
const owner = await arrangeAccount(app, tenant, 'owner');
const admin = await arrangePlatformAdmin(app);
const { body: document } = await app.http.get('/openapi.json');

interface Ranged extends Operation {
  parameters?: { name: string; schema: object }[];
  requestBody?: { content: Record<string, { schema: { properties?: object } }> };
}

/** The members of a query or of a body. */
function membersOf({ parameters = [], requestBody }: Ranged): string[] {
  const body = requestBody?.content['application/json']?.schema.properties ?? {};
  return [...parameters.map(({ name }) => name), ...Object.keys(body)];
}

const ranged = (operationsOf(withoutReferences(document)) as Ranged[]).filter((operation) =>
  ['from', 'to'].every((name) => membersOf(operation).includes(name)),
);

const webhookOf = async (path: string, caller: object): Promise<string> =>
  (await app.http.post(path, { url: 'http://127.0.0.1:9/' }, caller)).body.id;
const webhooks = {
  workspace: await webhookOf(`/api/workspaces/${tenant.workspaceId}/webhooks`, owner),
  admin: await webhookOf('/api/admin/webhooks', admin),
};

/** Sends the valid request of an operation with a range. */
function send({ path, method, requestBody }: Ranged, range: { from: string; to: string }) {
  const isOfPlatform = path.startsWith('/api/admin/');
  const address = path
    .replace('{tenantId}', tenant.tenantId)
    .replace('{workspaceId}', tenant.workspaceId)
    .replace('{webhookId}', webhooks[isOfPlatform ? 'admin' : 'workspace']);
  const caller = isOfPlatform ? admin : owner;
  const scope: Record<string, string> = /\/(events|queries)/.test(path) ? { scope: 'match' } : {};
  if (requestBody) return app.http.raw(method, address, JSON.stringify({ ...scope, ...range }), caller);
  return app.http.get(`${address}?${new URLSearchParams({ ...scope, ...range })}`, caller);
}

describe('a range of time', () => {
  test('is a parameter of exactly these operations', () => {
    assert.deepEqual(ranged.map(({ operationId }) => operationId).toSorted(), [
      'exportEvents',
      'getEventSummary',
      'getSessionAnalytics',
      'getSessionTimeline',
      'getUsage',
      'listAlerts',
      'listEvents',
      'listPlatformAuditRecords',
      'listPlatformWebhookDeliveries',
      'listRejectedEvents',
      'listTenantAuditRecords',
      'listTenantMatches',
      'listWebhookDeliveries',
      'listWorkspaceAuditRecords',
      'queryEvents',
      'startPlatformWebhookRedelivery',
      'startWebhookRedelivery',
    ]);
  });

  for (const operation of ranged)
    test(`${operation.operationId} returns 400 if from is not earlier than to`, async () => {
      const noon = '2026-11-20T12:00:00.001Z';
      for (const to of [
        noon,
        '2026-11-20T14:00:00.001+02:00',
        '2026-11-20T14:00:00.001+0200',
        '2026-11-20T12:00:00Z',
        '2026-11-18T00:00:00Z',
      ]) {
        const { status, body } = await send(operation, { from: noon, to });
        assert.equal(status, 400, to);
        assert.deepEqual(body.errors, [{ path: 'from', message: 'must be earlier than to' }]);
      }
      for (const offset of ['+02:00', '+0200']) {
        const accepted = await send(operation, { from: noon, to: `2026-11-20T14:00:00.002${offset}` });
        assert.ok([200, 202].includes(accepted.status), accepted.text);
      }
    });
});
