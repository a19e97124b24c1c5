import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { arrangeAccount } from '../../server/src/testing/arrange.ts';
import { assertAccessible, becomes, countBecomes, dialogCloses, startStudio } from './browser.ts';

const studio = await startStudio();
const { app, tenant } = studio;

const stored = async (eventKey: string) => {
  const { rows } = await app.owner.query(
    'SELECT event_scope, is_active, event_category FROM event_definitions WHERE tenant_id = $1 AND event_key = $2',
    [tenant.tenantId, eventKey],
  );
  return rows[0];
};

describe('definitions', () => {
  test('creates, edits and deactivates a definition', async () => {
    const page = await studio.open(`${studio.game}/definitions`);
    await page.getByRole('button', { name: 'Create a definition' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Event key').fill('boss_defeated');
    await dialog.getByRole('combobox', { name: 'Scope' }).click();
    await page.getByRole('option', { name: 'Both' }).click();
    await dialog.getByRole('button', { name: 'Create the definition' }).click();
    await dialogCloses(page);
    const cell = page.getByRole('cell', { name: 'boss_defeated', exact: true });
    const { x, y, height } = (await cell.boundingBox())!;
    await page.mouse.move(x + 16, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + 60, y + height / 2, { steps: 4 });
    await page.mouse.up();
    assert.notEqual(await page.evaluate(() => getSelection()!.toString()), '');
    assert.equal(await dialog.count(), 0, 'selecting text opens nothing');
    for (const modifier of ['Control', 'Meta', 'Shift'] as const) await cell.click({ modifiers: [modifier] });
    assert.equal(await dialog.count(), 0, 'a click with a modifier key opens nothing');
    await cell.click();
    await dialog.getByLabel('Category').fill('combat');
    await dialog.getByRole('button', { name: 'Save the definition' }).click();
    await dialogCloses(page);
    await page.getByRole('cell', { name: 'combat' }).waitFor();
    await page.getByRole('row', { name: 'boss_defeated' }).locator('.mantine-Switch-track').click();
    await page.getByRole('switch', { name: 'boss_defeated is active', checked: false }).waitFor();
    await page.reload();
    await page.getByRole('switch', { name: 'boss_defeated is active', checked: false }).waitFor();
    assert.deepEqual(await stored('boss_defeated'), {
      event_scope: 'both',
      is_active: false,
      event_category: 'combat',
    });

    // Forced colors remove backgrounds.
    await page.emulateMedia({ forcedColors: 'active' });
    const tracks = await page
      .getByRole('switch', { name: 'boss_defeated is active' })
      .evaluate((input: HTMLInputElement) =>
        [true, false].map((checked) => {
          input.checked = checked;
          const { borderStyle, backgroundColor } = getComputedStyle(input.nextElementSibling!);
          return { borderStyle, backgroundColor };
        }),
      );
    const [on, off] = [tracks[0]!, tracks[1]!];
    assert.deepEqual([on.borderStyle, off.borderStyle], ['solid', 'solid']);
    assert.notEqual(on.backgroundColor, off.backgroundColor);
  });

  test('keeps the keyboard in the dialog of a definition that the keyboard has opened', async () => {
    await app.owner.query(
      `INSERT INTO event_definitions (id, tenant_id, event_key, event_scope)
       VALUES (gen_random_uuid(), $1, 'by_keyboard', 'match')`,
      [tenant.tenantId],
    );
    const page = await studio.open(`${studio.game}/definitions`);
    await page.getByRole('row', { name: 'by_keyboard' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').locator('[data-autofocus]:focus').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    const cancel = page.getByRole('dialog').getByRole('button', { name: 'Cancel' });
    await cancel.focus();
    await page.keyboard.press('/');
    assert.ok(await cancel.evaluate((button) => button === document.activeElement));
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard the changes' }).click();
    await dialogCloses(page);
    assert.equal((await stored('by_keyboard'))?.is_active, true);

    const search = page.getByRole('searchbox');
    const hasFocus = (): Promise<boolean> => search.evaluate((input) => input === document.activeElement);
    await page.keyboard.press('Control+/');
    assert.equal(await hasFocus(), false);
    await page.keyboard.press('/');
    await becomes(hasFocus, true);
  });

  test('shows why the server refuses a definition that exists', async () => {
    const page = await studio.open(`${studio.game}/definitions`);
    for (const outcome of ['created', 'refused']) {
      await page.getByRole('button', { name: 'Create a definition' }).first().click();
      await page.getByRole('dialog').getByLabel('Event key').fill('twice');
      await page.getByRole('button', { name: 'Create the definition' }).click();
      if (outcome === 'created') await dialogCloses(page);
    }
    await page.getByRole('dialog').getByText('Request').waitFor();
  });

  test('imports a dropped CSV file, shows each refused row with its reason, and imports a corrected file', async () => {
    const page = await studio.open(`${studio.game}/definitions`);
    await page.getByRole('heading', { name: 'Definitions' }).waitFor();
    const csv = 'event_key,event_value,event_scope\nfirst,,match\nsecond,,sideways\nthird,,player\n';
    const transfer = await page.evaluateHandle((text) => {
      const data = new DataTransfer();
      data.items.add(new File([text], 'events.csv', { type: 'text/csv' }));
      return data;
    }, csv);
    await page.dispatchEvent('body', 'dragover', { dataTransfer: transfer });
    await page.getByText('Drop the CSV file to import it').waitFor();
    await assertAccessible(page, 'a file over the page');
    await page.dispatchEvent('body', 'drop', { dataTransfer: transfer });
    await page.getByRole('dialog').getByText('events.csv').waitFor();
    await assertAccessible(page, 'a chosen file');
    await page.keyboard.press('Escape');
    const question = page.getByRole('dialog', { name: 'Leave without importing' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Import the file' }).click();
    await page.getByText('Rows in the file: 3. 2 created, 0 changed, 1 refused.').waitFor();
    await page.getByRole('dialog').locator('tr[data-row]', { hasText: 'second' }).waitFor();
    await countBecomes(page.getByRole('dialog').locator('tr[data-row]'), 1);
    // Another file can follow.
    await page.dispatchEvent('body', 'drop', { dataTransfer: transfer });
    await page.getByRole('button', { name: 'Import the file' }).waitFor();

    // The reader corrects a file that was refused.
    const path = join(tmpdir(), 'corrected.csv');
    const choose = async () => {
      const chooser = page.waitForEvent('filechooser');
      await page.getByRole('button', { name: 'CSV file' }).click();
      await (await chooser).setFiles(path);
    };
    const send = () => page.getByRole('button', { name: 'Import the file' }).click();
    await writeFile(path, 'event_key;event_value\ncorrected;\n');
    await choose();
    await send();
    await page.getByText(/Save the file with commas between the cells\.$/).waitFor();
    await writeFile(path, 'event_key,event_value\ncorrected,\n');
    await send();
    await page.getByText(/^The file was changed, .* Choose it again\.$/).waitFor();
    await choose();
    await countBecomes(page.getByRole('alert'), 0);
    await send();
    await page.getByText('Rows in the file: 1. 1 created, 0 changed, 0 refused.').waitFor();
    await page.getByRole('button', { name: 'Import another file' }).click();
    await page.locator('[role=dialog] button:focus', { hasText: 'Choose a file' }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await dialogCloses(page);
    await page.getByRole('cell', { name: 'third', exact: true }).waitFor();
  });

  test('keeps a typed definition when a file is dropped, and a running import open', async () => {
    const page = await studio.open(`${studio.game}/definitions`);
    const transfer = await page.evaluateHandle(() => {
      const data = new DataTransfer();
      data.items.add(new File(['event_key,event_value\nslow,\n'], 'slow.csv', { type: 'text/csv' }));
      return data;
    });
    await page.getByRole('button', { name: 'Create a definition' }).first().click();
    await page.getByLabel('Event key').fill('half_typed');
    await page.dispatchEvent('body', 'drop', { dataTransfer: transfer });
    await becomes(() => page.getByLabel('Event key').inputValue(), 'half_typed');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Discard the changes' }).click();
    await dialogCloses(page);

    await page.dispatchEvent('body', 'drop', { dataTransfer: transfer });
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/event-definitions/import', async (route) => {
      await released;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Import the file' }).click();
    await page.locator('button[data-loading]').waitFor();
    await page.keyboard.press('Escape');
    release();
    await page.getByText('Rows in the file: 1. 1 created, 0 changed, 0 refused.').waitFor();
  });

  test('reads one page, and lets the server search', async () => {
    await app.http.post(
      `/api/bus_tenants/${tenant.tenantId}/event-definitions`,
      { eventKey: 'treasure', eventDescription: 'A chest was opened' },
      await arrangeAccount(app, tenant, 'admin'),
    );
    const page = await studio.open(studio.game);
    const lists: URLSearchParams[] = [];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname.endsWith('/event-definitions')) lists.push(searchParams);
    });
    await page.getByRole('link', { name: 'Definitions' }).click();
    await page.getByRole('cell', { name: 'treasure', exact: true }).waitFor();
    assert.deepEqual(
      lists.map((query) => [query.get('offset'), query.get('search')]),
      [['0', null]],
    );
    await page.getByRole('searchbox').fill('CHEST');
    await page.getByText('1 event definition matches the filters').waitFor();
    assert.equal(lists.at(-1)!.get('search'), 'CHEST');
    await page.getByRole('searchbox').fill('nothing has this text');
    await page.getByRole('button', { name: 'Remove the filters' }).click();
    await page.getByRole('cell', { name: 'treasure', exact: true }).waitFor();
  });

  test('shows a change of the state at once, and rolls it back with the reason', async () => {
    const page = await studio.open(`${studio.game}/definitions`);
    const { promise: refusal, resolve: refuse } = Promise.withResolvers<void>();
    await page.route('**/event-definitions/*-*', async (route) => {
      await refusal;
      await route.fulfill({
        status: 409,
        contentType: 'application/problem+json',
        body: '{"code":"conflict","status":409,"detail":"The definition is in use."}',
      });
    });
    const row = page.getByRole('row', { name: 'treasure' });
    await row.locator('.mantine-Switch-track').click();
    await page.getByRole('switch', { name: 'treasure is active', checked: false }).waitFor();
    refuse();
    await page.getByText('The definition is in use.').waitFor();
    await page.getByRole('switch', { name: 'treasure is active', checked: true }).waitFor();
  });

  test('are not offered to viewers, and not requested for them', async () => {
    const page = await studio.open(studio.game, { role: 'viewer' });
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await page.getByRole('link', { name: 'Wallet ledger' }).waitFor();
    await countBecomes(page.getByRole('link', { name: 'Definitions' }), 0);
    await page.goto(`${studio.game}/definitions`);
    await page.getByRole('heading', { name: 'Your role does not allow this page' }).waitFor();
    // The answer to a later request: one for the definitions would have been sent before it.
    await page.getByRole('link', { name: 'Players', exact: true }).click();
    await page.getByRole('heading', { name: 'No players yet' }).waitFor();
    assert.deepEqual(
      requests.filter((url) => url.includes('/event-definitions')),
      [],
    );
  });

  test('are requested when the pointer is over the link of the page', async () => {
    const page = await studio.open(studio.game);
    const requested = page.waitForRequest('**/event-definitions?*');
    await page.getByRole('link', { name: 'Definitions' }).hover();
    await requested;
  });

  test('rolls the auto-create switch back if the server refuses', async () => {
    const page = await studio.open(`${studio.game}/definitions`);
    await page.route('**/event-definitions/settings', (route) =>
      route.request().method() === 'PATCH'
        ? route.fulfill({
            status: 503,
            contentType: 'application/problem+json',
            body: '{"code":"unavailable","status":503}',
          })
        : route.continue(),
    );
    const autoCreate = page.getByRole('switch', { name: 'Auto-create' });
    const before = await autoCreate.isChecked();
    await autoCreate.click();
    await page.getByText('The server answered 503.').waitFor();
    await becomes(() => autoCreate.isChecked(), before);
  });

  test('says why the state of the auto-create switch is unknown', async () => {
    const page = await studio.open(`${studio.game}/definitions`);
    await page.route('**/event-definitions/settings', (route) =>
      route.fulfill({
        status: 500,
        contentType: 'application/problem+json',
        body: '{"code":"internal_error","status":500}',
      }),
    );
    await page.reload();
    await page.getByText('The server answered 500.').waitFor();
    const autoCreate = page.getByRole('switch', { name: 'Auto-create' });
    assert.ok(await autoCreate.isDisabled());
    await page.unroute('**/event-definitions/settings');
    await page.getByRole('button', { name: 'Try again to read the state of auto-create' }).click();
    await becomes(() => autoCreate.isEnabled(), true);
  });

  test('says that the sign-in page of a network has answered', async () => {
    const page = await studio.open(`${studio.game}/definitions`);
    await page.route('**/event-definitions/settings', (route) =>
      route.request().method() === 'PATCH'
        ? route.fulfill({ status: 200, contentType: 'text/html', body: '<h1>Sign in to the Wi-Fi</h1>' })
        : route.continue(),
    );
    await page.getByRole('switch', { name: 'Auto-create' }).click();
    await page.getByText('The network answered instead of the server.').waitFor();
  });

  test('reads the auto-create switch again if the answer is lost', async () => {
    const page = await studio.open(`${studio.game}/definitions`);
    await page.route('**/event-definitions/settings', async (route) => {
      if (route.request().method() !== 'PATCH') return route.continue();
      await route.fetch();
      await route.abort();
    });
    const autoCreate = page.getByRole('switch', { name: 'Auto-create' });
    const before = await autoCreate.isChecked();
    await autoCreate.click();
    await page.getByText('The server cannot be reached').waitFor();
    await becomes(() => autoCreate.isChecked(), !before);
  });
});
