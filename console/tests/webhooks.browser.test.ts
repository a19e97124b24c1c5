import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { arrangeAccount } from '../../server/src/testing/arrange.ts';
import { assertAccessible, becomes, startStudio } from './browser.ts';

const studio = await startStudio();
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
    await page.getByRole('dialog').getByText('Request').waitFor();
    await page.getByLabel('URL').fill('https://hooks.example.com/new');
    await page.getByRole('button', { name: 'Add the webhook' }).click();
    assert.match(await page.getByRole('region', { name: 'Signing secret' }).innerText(), /^whsec_/);
    await page.getByRole('button', { name: 'I saved the secret' }).click();
    await page.getByRole('link', { name: 'https://hooks.example.com/new' }).waitFor();
  });

  test('filters deliveries by state and time, and redelivers the failed ones', async () => {
    const { id, failed } = await arrangeDeliveries();
    const page = await studio.open(`${webhooks}/${id}`);
    await page.getByRole('cell', { name: 'Failed', exact: true }).waitFor();
    await page.getByRole('combobox', { name: 'State' }).click();
    await page.getByRole('option', { name: 'Failed' }).click();
    await page.waitForURL('**status=failed**');
    await page.getByRole('cell', { name: 'Pending', exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('combobox', { name: 'Any time' }).click();
    await page.getByRole('option', { name: 'Last hour' }).click();
    await page.waitForURL('**range=1h**');
    await page.getByRole('checkbox', { name: 'Select all rows that are loaded' }).check();
    await page.getByRole('button', { name: 'Redeliver 1 selected' }).click();
    await page.getByText('Sent again: 1.').waitFor();
    await page.getByRole('heading', { name: 'No deliveries' }).waitFor();
    const { rows } = await app.owner.query('SELECT status FROM webhook_deliveries WHERE id = $1', [failed]);
    assert.deepEqual(rows, [{ status: 'pending' }]);
  });

  test('redelivers all that match, says what was refused, and keeps it selected', async () => {
    const { id, failed } = await arrangeDeliveries();
    await app.owner.query(
      `INSERT INTO webhook_deliveries (id, endpoint_id, event_type, body, status, next_attempt_at)
       SELECT ('01a20000-0000-7000-8001-' || lpad(to_hex(number), 12, '0'))::uuid, $1, 'webhook.test', '{}', 'delivered', NULL
       FROM generate_series(1, 103) number`,
      [id],
    );
    // An attempt is in progress, so the server refuses this one.
    await app.owner.query(
      `UPDATE webhook_deliveries
       SET status = 'pending', next_attempt_at = now(), attempting_until = now() + interval '1 hour' WHERE id = $1`,
      [failed],
    );
    const page = await studio.open(`${webhooks}/${id}`);
    // The others are answered here, because the server limits how many are sent in a minute.
    const sent = new Set<string>();
    await page.route('**/redeliver', (route) => {
      const [deliveryId = ''] = route.request().url().split('/').slice(-2);
      sent.add(deliveryId);
      return deliveryId === failed ? route.continue() : route.fulfill({ json: {} });
    });
    await page.getByRole('checkbox', { name: 'Select all rows that are loaded' }).check();
    await page.getByRole('button', { name: 'Redeliver 100 selected' }).waitFor();
    await page.getByRole('button', { name: 'Select all 105 that match' }).click();
    await page.getByRole('button', { name: 'Redeliver 105 selected' }).click();
    await page.getByText('Sent again: 104. Not sent, and still selected: 1.').waitFor();
    await page.getByText(/^Refused: 1\. .*in progress/).waitFor();
    assert.equal(sent.size, 105);
    await page.getByRole('button', { name: 'Redeliver 1 selected' }).waitFor();
    await assertAccessible(page, 'a bulk redelivery');
    await page.getByRole('button', { name: 'Clear the selection' }).click();
    await page.getByText(/^Sent again/).waitFor({ state: 'detached' });
  });

  test('stops a bulk redelivery that waits for the limit, and says how far it came', async () => {
    const { id } = await arrangeDeliveries();
    const page = await studio.open(`${webhooks}/${id}`);
    let answers = 0;
    await page.route('**/redeliver', (route) => {
      answers++;
      const refusal = { code: 'too_many_attempts', status: 429, detail: 'Wait.' };
      return answers === 1
        ? route.fulfill({ json: {} })
        : route.fulfill({
            status: 429,
            headers: { 'retry-after': '3600' },
            contentType: 'application/problem+json',
            body: JSON.stringify(refusal),
          });
    });
    await page.getByRole('checkbox', { name: 'Select all rows that are loaded' }).check();
    await page.getByRole('button', { name: 'Redeliver 2 selected' }).click();
    await page.getByText(/^Redelivering 1 of 2/).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Sent again: 1. Not sent, and still selected: 1.').waitFor();
  });

  test('keeps few of many deliveries in the page, and loads more while the reader scrolls', async () => {
    const { id } = await arrangeDeliveries();
    await app.owner.query(
      `INSERT INTO webhook_deliveries (id, endpoint_id, event_type, body, status, next_attempt_at)
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

  test('opens a delivery with its payload by its URL', async () => {
    const { id, pending } = await arrangeDeliveries();
    const page = await studio.open(`${webhooks}/${id}?delivery=${pending}`);
    await page.getByRole('region', { name: 'Payload' }).getByText('webhook.test').waitFor();
    await page.keyboard.press('Escape');
    await page.waitForURL((url) => !url.search.includes('delivery'));
  });
});
