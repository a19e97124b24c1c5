import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertAccessible, becomes, dialogCloses, dialogHasFocus, startStudio } from './browser.ts';

const studio = await startStudio();

describe('a form with unsaved changes', () => {
  test('asks before the page is left, and not after it was saved', async () => {
    const page = await studio.open(`${studio.game}/settings`);
    const players = page.getByRole('link', { name: 'Players' });
    await page.getByRole('textbox', { name: 'Name' }).fill('Tidewater II');
    await players.click();
    const dialog = page.getByRole('dialog', { name: 'Leave without saving' });
    await dialog.waitFor();
    await assertAccessible(page, 'the question');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await becomes(() => page.getByRole('textbox', { name: 'Name' }).inputValue(), 'Tidewater II');

    await players.click();
    await dialog.getByRole('button', { name: 'Discard the changes' }).click();
    await page.waitForURL('**/players');

    await page.goto(`${studio.game}/settings`);
    await becomes(() => page.getByRole('textbox', { name: 'Name' }).inputValue(), 'Tidewater');
    await page.getByRole('textbox', { name: 'Name' }).fill('Tidewater III');
    await page.getByRole('button', { name: 'Save the game' }).click();
    await page.getByRole('button', { name: 'Game: Tidewater III' }).waitFor();
    await players.click();
    await page.waitForURL('**/players');
  });

  test('asks before a dialog with changes is closed, and closes one without changes at once', async () => {
    const page = await studio.open(`${studio.game}/definitions`);
    await page.getByRole('button', { name: 'Create a definition' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Create a definition' });
    await dialogHasFocus(page);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Create a definition' }).first().click();
    await dialog.getByLabel('Event key').fill('half_typed');
    await page.keyboard.press('Escape');
    const question = page.getByRole('dialog', { name: 'Leave without saving' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    await becomes(() => dialog.getByLabel('Event key').inputValue(), 'half_typed');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await question.getByRole('button', { name: 'Discard the changes' }).click();
    await dialogCloses(page);
    const { rows } = await studio.app.owner.query('SELECT FROM event_definitions WHERE tenant_id = $1', [
      studio.tenant.tenantId,
    ]);
    assert.equal(rows.length, 0);
  });

  test('asks on each page with a form: providers and the password', async () => {
    const page = await studio.open(`${studio.game}/providers`);
    const dialog = page.getByRole('dialog', { name: 'Leave without saving' });
    const players = page.getByRole('link', { name: 'Players' });
    await page.getByRole('button', { name: 'Set up Store B' }).click();
    await page.getByLabel('Client id').fill('client-1');
    await players.click();
    await dialog.getByRole('button', { name: 'Discard the changes' }).click();
    await page.waitForURL('**/players');
    await page.goto('/account');
    await page.getByRole('textbox', { name: 'New password' }).fill('something else');
    await players.click();
    await dialog.getByRole('button', { name: 'Discard the changes' }).click();
    await page.waitForURL('**/players');
  });
});
