import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../acceptance/free-port.ts';
import { arrangeAccount, arrangeTenant } from './arrange.ts';
import { eventually } from './eventually.ts';
import { startTestApp, startTestWorker } from './test-app.ts';
import { arrangeWebhook } from './webhooks.ts';

const PROGRAM = fileURLToPath(new URL('../../../examples/webhook-receiver/receiver.ts', import.meta.url));

const env = { ALLOW_PRIVATE_ADDRESSES: 'on' };
const app = await startTestApp({ env });
await startTestWorker(app, env);
const tenant = await arrangeTenant(app);
const admin = await arrangeAccount(app, tenant, 'admin');

const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const webhook = await arrangeWebhook(app, `/api/workspaces/${tenant.workspaceId}/webhooks`, admin, { url });

/** Starts the receiver like a user. */
function start(secret: string) {
  const child = spawn(process.execPath, [PROGRAM, '--secret', secret, '--port', String(port)]);
  after(() => child.kill());
  const receiver = { output: '', code: new Promise((resolve) => child.on('close', resolve)) };
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (receiver.output += chunk));
  return receiver;
}

describe('examples/webhook-receiver', () => {
  test('does not start without a secret', async () => {
    const receiver = start('whsec_…');
    assert.equal(await receiver.code, 2);
    assert.match(receiver.output, /--secret or GUILDHALL_WEBHOOK_SECRET/);
  });

  test('prints a genuine delivery once, and refuses others', async () => {
    const receiver = start(webhook.secret);
    await eventually(() => receiver.output.includes('Waiting for webhooks'));
    const id = await webhook.test();
    await webhook.becomes(id, { status: 'delivered', lastStatusCode: 204 });
    await eventually(() => /T\d\d:\d\d:\d\d\.\d+Z webhook\.test \{/.test(receiver.output));
    assert.equal((await fetch(url, { method: 'POST', body: '{"type":"webhook.test"}' })).status, 400);
    await eventually(() =>
      receiver.output.includes('A request was refused: The header webhook-id is missing.'),
    );

    assert.equal((await fetch(url, { method: 'POST', body: 'x'.repeat(100_000) })).status, 413);

    await webhook.redeliver(id);
    await webhook.becomes(id, { attempts: 2, status: 'delivered' });
    assert.equal(receiver.output.match(/webhook\.test/g)?.length, 1);
  });
});
