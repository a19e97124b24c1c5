import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import {
  arrangeAccount,
  arrangePlan,
  arrangePlatformAdmin,
  arrangePlayer,
  arrangeTenant,
} from '../../../testing/arrange.ts';
import { avoidEndOf } from '../../../testing/avoid-end-of.ts';
import { eventually } from '../../../testing/eventually.ts';
import { withoutReferences } from '../../../testing/openapi.ts';
import { startTestApp, startTestWorker } from '../../../testing/test-app.ts';
import { startWebhookReceiver } from '../../../testing/webhook-receiver.ts';
import { arrangeWebhook } from '../../../testing/webhooks.ts';

const env = { ALLOW_PRIVATE_ADDRESSES: 'on' };
const app = await startTestApp({ env });
await startTestWorker(app, env);

test('the server sends each event as the OpenAPI document describes it', async () => {
  await avoidEndOf('month');
  const tenant = await arrangeTenant(app);
  const owner = await arrangeAccount(app, tenant, 'owner');
  const operator = await arrangePlatformAdmin(app);
  const workspace = `/api/workspaces/${tenant.workspaceId}`;
  const receiver = await startWebhookReceiver();
  const webhook = await arrangeWebhook(app, `${workspace}/webhooks`, owner, { url: receiver.url });
  const ofDeployment = await arrangeWebhook(app, '/api/admin/webhooks', operator, {
    url: receiver.url,
    eventTypes: ['usage.warning'],
  });

  await webhook.test();
  await ofDeployment.test();
  const thresholds = { rateLimitPerMinute: 1, payloadBytesPerMinute: 1 };
  const settings = `/api/bus_tenants/${tenant.tenantId}/alert-settings`;
  assert.equal((await app.http.patch(settings, thresholds, owner)).status, 200);
  const [ada, grace] = [await arrangePlayer(app, tenant, 'ada'), await arrangePlayer(app, tenant, 'grace')];
  const merge = {
    sourceProfileId: grace.playerId,
    sourceProvider: 'Mock',
    sourceAuthToken: 'mock:grace:secret',
  };
  const me = '/api/player-profile/me';
  assert.equal((await app.http.post(`${me}/merge`, merge, { bearer: ada.accessToken })).status, 200);
  assert.equal((await app.http.delete(me, { bearer: ada.accessToken })).status, 204);
  await eventually(async () => (await app.http.get(`${workspace}/quota`, owner)).body.used > 0);
  await arrangePlan(app, tenant, { monthlyUnits: 1 });

  const { webhooks } = withoutReferences((await app.http.get('/openapi.json')).body);
  const types = Object.keys(webhooks);
  await eventually(() => receiver.received.length >= types.length + 2);
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  const received = receiver.received.map(({ headers, body }) => {
    const event = JSON.parse(body) as { type: string };
    const { parameters, requestBody } = webhooks[event.type].post;
    const { schema } = requestBody.content['application/json'];
    assert.ok(ajv.validate(schema, event), `${body}: ${ajv.errorsText()}`);
    for (const { name } of parameters) assert.ok(headers[name], name);
    return event.type;
  });
  assert.deepEqual(new Set(received), new Set(types));
});
