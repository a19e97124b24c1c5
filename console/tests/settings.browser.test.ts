import { describe, test } from 'node:test';
import { assertAccessible, becomes, startStudio } from './browser.ts';

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
    await page.getByRole('textbox', { name: 'Name' }).fill('Tidewater III');
    await page.getByRole('button', { name: 'Save the game' }).click();
    await page.getByRole('button', { name: 'Game: Tidewater III' }).waitFor();
    await players.click();
    await page.waitForURL('**/players');
  });
});
