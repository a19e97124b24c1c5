import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { arrangeAccount } from '../../server/src/testing/arrange.ts';
import { startTestWorker } from '../../server/src/testing/test-app.ts';
import { startWebhookReceiver } from '../../server/src/testing/webhook-receiver.ts';
import { arrangeDeliveries as arrangeFailed, arrangeWebhook } from '../../server/src/testing/webhooks.ts';
import {
  assertAccessible,
  backClosesPanel,
  becomes,
  countBecomes,
  rowsBecome,
  startStudio,
} from './browser.ts';

const env = { ALLOW_PRIVATE_ADDRESSES: 'on' };
const studio = await startStudio({ env });
const { app, tenant } = studio;
const webhooks = `/workspaces/${tenant.workspaceId}/webhooks`;
const admin = await arrangeAccount(app, tenant, 'admin');

/** Adds a webhook with a failed and a pending delivery, one of them a day and a half old. */
async function arrangeDeliveries() {
  const { body } = await app.http.post(`/api${webhooks}`, { url: 'https://hooks.example.com/in' }, admin);
  const send = async (): Promise<string> =>
    (await app.http.post(`/api${webhooks}/${body.id}/test`, undefined, admin)).body.id;
  const [failed, pending] = [await send(), await send()];
  await app.owner.query(
    `UPDATE webhook_deliveries SET status = 'failed', last_status_code = 500, attempts = 8 WHERE id = $1`,
    [failed],
  );
  return { id: body.id as string, failed, pending };
}

describe('webhooks', () => {
  test('adds a webhook and shows its secret once', async () => {
    const page = await studio.open(webhooks);
    await page.getByRole('button', { name: 'Add a webhook' }).first().click();
    await page.getByLabel('URL').fill('ftp://example.com');
    await page.getByRole('button', { name: 'Add the webhook' }).click();
    await page.getByRole('dialog').getByText('Enter an http or https address.').waitFor();
    await page.getByLabel('URL').fill('https://hooks.example.com/new');
    await page.getByRole('button', { name: 'Add the webhook' }).click();
    assert.match(await page.getByRole('region', { name: 'Signing secret' }).innerText(), /^whsec_/);
    await page.getByRole('button', { name: 'I saved the secret' }).click();
    await page.getByRole('link', { name: 'https://hooks.example.com/new' }).waitFor();
  });

  test('sends one test if the button is pressed twice before it is disabled', async () => {
    const url = 'https://hooks.example.com/twice';
    const { body } = await app.http.post(`/api${webhooks}`, { url }, admin);
    const page = await studio.open(`${webhooks}/${body.id}`);
    await page.getByRole('button', { name: 'Send a test' }).evaluate((button: HTMLButtonElement) => {
      button.click();
      button.click();
    });
    await page.getByRole('button', { name: 'Send a test', disabled: false }).waitFor();
    await rowsBecome(page, 1);
    const { rowCount } = await app.owner.query('SELECT FROM webhook_deliveries WHERE webhook_id = $1', [
      body.id,
    ]);
    assert.equal(rowCount, 1);
  });

  test('names the game whose events a webhook receives', async () => {
    const url = 'https://hooks.example.com/game';
    const { body } = await app.http.post(`/api${webhooks}`, { url, tenantId: tenant.tenantId }, admin);
    const page = await studio.open(`${webhooks}/${body.id}`, { role: 'viewer' });
    await page.getByRole('button', { name: 'Tidewater: copy the id' }).waitFor();
  });

  test('filters deliveries by state and time, and redelivers the failed ones', async () => {
    const { id, failed } = await arrangeDeliveries();
    const page = await studio.open(`${webhooks}/${id}`);
    await page.getByRole('cell', { name: 'Failed', exact: true }).waitFor();
    await page.getByRole('combobox', { name: 'State' }).click();
    await page.getByRole('option', { name: 'Failed' }).click();
    await page.waitForURL('**status=failed**');
    await page.getByRole('cell', { name: 'Pending', exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('combobox', { name: 'Time' }).click();
    await page.getByRole('option', { name: 'Last hour' }).click();
    await page.waitForURL('**range=1h**');
    await page.getByRole('checkbox', { name: 'Select all rows that are loaded' }).check();
    await page.getByRole('button', { name: 'Redeliver 1 selected' }).click();
    await page.getByText(/^Redelivering 0 of 1\./).waitFor();
    await page.getByRole('button', { name: 'Redeliver 1 selected' }).waitFor({ state: 'detached' });
    const { rows } = await app.owner.query(
      'SELECT delivery_ids FROM webhook_redeliveries WHERE webhook_id = $1',
      [id],
    );
    assert.deepEqual(rows, [{ delivery_ids: [failed] }]);
  });

  test('filters deliveries by the time between two others', async () => {
    const { id, pending } = await arrangeDeliveries();
    const { rows } = await app.owner.query('SELECT created_at FROM webhook_deliveries WHERE id = $1', [
      pending,
    ]);
    const [from, to] = [new Date(0).toISOString(), rows[0].created_at.toISOString()];
    const page = await studio.open(`${webhooks}/${id}?range=${from}/${to}`);
    await page.getByRole('cell', { name: 'Failed', exact: true }).waitFor();
    await rowsBecome(page, 1);
  });

  test('rotates the secret, and removes the error of an earlier attempt', async () => {
    const { id } = await arrangeDeliveries();
    const page = await studio.open(`${webhooks}/${id}`);
    const ask = async (): Promise<void> => {
      await page.getByRole('button', { name: 'More' }).click();
      await page.getByRole('menuitem', { name: 'Rotate the secret' }).click();
      await page.getByRole('dialog', { name: 'Rotate the secret' }).waitFor();
    };
    const rotate = page.getByRole('dialog').getByRole('button', { name: 'Rotate the secret' });
    await page.route('**/rotate-secret', (route) => route.abort());
    await ask();
    await rotate.click();
    await page
      .getByRole('alert')
      .getByText(/^The request may have taken effect/)
      .waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.unroute('**/rotate-secret');
    await ask();
    assert.equal(await page.getByRole('alert').count(), 0);
    await rotate.click();
    assert.match(await page.getByRole('region', { name: 'Signing secret' }).innerText(), /^whsec_/);
  });

  test('asks before the page is left while the secret is rotated, and shows the new one', async () => {
    const { id } = await arrangeDeliveries();
    const page = await studio.open(`${webhooks}/${id}`);
    await page.getByRole('link', { name: 'Webhooks' }).first().click();
    await page.waitForURL(`**${webhooks}`);
    await page.goBack();
    const [sent, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await page.route('**/rotate-secret', async (route) => {
      sent.resolve();
      await answered.promise;
      await route.continue();
    });
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Rotate the secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate the secret' }).click();
    await sent.promise;
    await page.evaluate(() => history.forward());
    await page.getByText('A request is running. You would not see its answer.').waitFor();
    answered.resolve();
    assert.match(await page.getByRole('region', { name: 'Signing secret' }).innerText(), /^whsec_/);
    await page.waitForURL(`**${webhooks}/${id}`);
  });

  test('says that a redelivery is running already, and stops one that another person started', async () => {
    const { id } = await arrangeDeliveries();
    const page = await studio.open(`${webhooks}/${id}`);
    await page.getByRole('checkbox', { name: 'Select all rows that are loaded' }).check();
    const started = await app.http.post(`/api${webhooks}/${id}/redeliveries`, { status: 'failed' }, admin);
    assert.equal(started.status, 202, started.text);
    await page.getByRole('button', { name: 'Redeliver 2 selected' }).click();
    await page.getByText(/^A webhook has one redelivery at a time\./).waitFor();
    await page.getByRole('button', { name: 'Stop the redelivery' }).click();
    await page.getByText(/^Redelivery stopped .*: 0 delivered, 1 not sent\.$/).waitFor();
    await page.getByRole('status').getByText('Redelivery stopped: 0 delivered, 1 not sent.').waitFor();
  });

  test('shows viewers the progress, and offers them no change', async () => {
    const { id } = await arrangeDeliveries();
    await app.http.post(`/api${webhooks}/${id}/redeliveries`, { status: 'failed' }, admin);
    const page = await studio.open(`${webhooks}/${id}`, { role: 'viewer' });
    await page.getByText(/^Redelivering 0 of 1\./).waitFor();
    assert.equal(await page.getByRole('button', { name: /Stop|Redeliver/ }).count(), 0);
  });

  test('keeps few of many deliveries in the page, and loads more while the reader scrolls', async () => {
    const { id } = await arrangeDeliveries();
    await app.owner.query(
      `INSERT INTO webhook_deliveries (id, webhook_id, event_type, body, status, next_attempt_at)
       SELECT ('01a20000-0000-7000-8000-' || lpad(to_hex(number), 12, '0'))::uuid, $1, 'webhook.test', '{}', 'delivered', NULL
       FROM generate_series(1, 500) number`,
      [id],
    );
    const page = await studio.open(`${webhooks}/${id}`);
    await page.getByRole('cell', { name: 'Delivered', exact: true }).first().waitFor();
    const rows = page.locator('tr[data-row]');
    assert.ok((await rows.count()) < 100, `${await rows.count()} rows are in the page`);
    const scroller = page.getByRole('region', { name: 'Deliveries' });
    const heightOf = () => scroller.evaluate((element) => element.scrollHeight);
    const height = await heightOf();
    await scroller.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await becomes(async () => (await heightOf()) > height, true);
  });

  test('offers no action that a disabled webhook refuses', async () => {
    const { id, failed } = await arrangeDeliveries();
    await app.http.patch(`/api${webhooks}/${id}`, { enabled: false }, admin);
    const page = await studio.open(`${webhooks}/${id}`);
    await page.getByText(/^This webhook is disabled, and its deliveries wait\./).waitFor();
    await page.getByRole('cell', { name: 'When it is enabled' }).first().waitFor();
    assert.ok(await page.getByRole('button', { name: 'Send a test' }).isDisabled());
    assert.equal(await page.getByRole('checkbox').count(), 0);
    await page.goto(`${webhooks}/${id}?delivery=${failed}`);
    assert.ok(await page.getByRole('button', { name: 'Redeliver' }).isDisabled());
    await page.goto(`${webhooks}/${id}`);
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Enable' }).click();
    await countBecomes(page.getByRole('cell', { name: 'When it is enabled' }), 0);
    assert.ok(await page.getByRole('button', { name: 'Send a test' }).isEnabled());
  });

  test('opens a delivery with its payload by its URL, and sends it before its next attempt', async () => {
    const { id, pending } = await arrangeDeliveries();
    await app.owner.query(
      `UPDATE webhook_deliveries SET attempts = 3, last_status_code = 503, last_error = 'The endpoint returned status 503.', next_attempt_at = now() + interval '2 hours'
       WHERE id = $1`,
      [pending],
    );
    const page = await studio.open(`${webhooks}/${id}?delivery=${pending}`);
    await page.getByRole('region', { name: 'Payload' }).getByText('webhook.test').waitFor();
    await page.getByRole('dialog').getByText('in 2 hr.').waitFor();
    await page.getByRole('dialog').getByText('Retrying', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Redeliver' }).click();
    await countBecomes(page.getByRole('button', { name: 'Redeliver' }), 0);
    await page.getByRole('dialog').getByText('in 2 hr.').waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.waitForURL((url) => !url.search.includes('delivery'));
    await backClosesPanel(page, page.getByRole('cell', { name: 'Test', exact: true }).first());

    await page.goto(`${webhooks}/${id}?delivery=${id}`);
    await page.getByText('The webhook does not have this delivery.').waitFor();
    await countBecomes(page.getByRole('button', { name: 'Try again' }), 0);
  });

  test('redelivers all that match, even after a reload, in another tab, and while no page shows it', async () => {
    const receiver = await startWebhookReceiver();
    const { id } = await arrangeWebhook(app, `/api${webhooks}`, admin, { url: receiver.url });
    const ids = await arrangeFailed(app, id, 205);
    receiver.answer = (response, delivery) => response.writeHead(delivery.id === ids[7] ? 500 : 204).end();
    const page = await studio.open(`${webhooks}/${id}?status=failed`);
    await page.getByRole('checkbox', { name: 'Select all rows that are loaded' }).check();
    await page.getByRole('button', { name: 'Redeliver 100 selected' }).waitFor();
    await page.getByRole('button', { name: 'Select all 205 that match' }).click();
    await page.getByRole('button', { name: 'Redeliver all 205 that match' }).click();
    await page.getByText('Redelivering 0 of 205. You can leave this page.').waitFor();
    await page.getByRole('status').getByText('Redelivering 205 deliveries: 0 % done.').waitFor();
    await becomes(() => page.evaluate(() => document.activeElement?.ariaLabel), 'Redelivery');
    await assertAccessible(page, 'a redelivery');

    await page.reload();
    await page.getByText(/^Redelivering 0 of 205\./).waitFor();
    const other = await page.context().newPage();
    await other.goto(`${webhooks}/${id}`);
    await other.getByText(/^Redelivering 0 of 205\./).waitFor();
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByRole('link', { name: receiver.url }).waitFor();

    // Nothing is delivered before. Requests that wait for an answer would time out on a slow machine.
    const worker = await startTestWorker(app, env);
    const result = '204 delivered, 1 failed at the first attempt.';
    await other.getByRole('status').getByText(`Redelivered: ${result}`).waitFor();
    await page.getByRole('link', { name: receiver.url }).click();
    await page.getByText(new RegExp(`^Redelivered .*: ${result}$`)).waitFor();
    await page.reload();
    await page.getByText(new RegExp(`^Redelivered .*: ${result}$`)).waitFor();
    assert.equal(await page.getByRole('status').getByText('Redelivered').count(), 0, 'it is no news here');
    assert.equal(new Set(receiver.received.map((delivery) => delivery.id)).size, 205);
    await assertAccessible(page, 'the result of a redelivery');
    await worker.stop();
  });

  test('keeps the webhooks of the deployment for platform administrators', async () => {
    const worker = await startTestWorker(app, env);
    const receiver = await startWebhookReceiver();
    const page = await studio.open('/platform/webhooks', { role: 'platformAdmin' });
    await page.getByRole('heading', { level: 1, name: 'Platform webhooks' }).waitFor();
    await page.getByRole('button', { name: 'Add a webhook' }).first().click();
    assert.equal(
      await page.getByRole('dialog').getByLabel('Game').count(),
      0,
      'it has the events of all games',
    );
    await page.getByLabel('URL').fill(receiver.url);
    await page.getByRole('button', { name: 'Add the webhook' }).click();
    await page.getByRole('button', { name: 'I saved the secret' }).click();
    await page.getByRole('link', { name: receiver.url }).click();
    await page.waitForURL('**/platform/webhooks/*');
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByRole('cell', { name: 'Delivered', exact: true }).click();
    await page.getByRole('button', { name: 'Redeliver', exact: true }).click();
    await becomes(async () => receiver.received.length, 2);
    await page.keyboard.press('Escape');
    await page.getByRole('combobox', { name: 'State' }).click();
    await page.getByRole('option', { name: 'Failed' }).click();
    await page.waitForURL('**/platform/webhooks/*status=failed');
    await page.getByRole('heading', { name: 'No delivery matches the filters' }).waitFor();

    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Disable' }).click();
    await page.getByText('Disabled', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('textbox').fill('delete');
    await page.getByRole('button', { name: 'Delete the webhook' }).click();
    await page.waitForURL('**/platform/webhooks');
    await page.getByText('No webhooks yet').waitFor();
    const { rows } = await app.owner.query('SELECT FROM webhooks WHERE workspace_id IS NULL');
    assert.deepEqual(rows, []);
    await worker.stop();
  });
});
