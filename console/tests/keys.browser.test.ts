import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { becomes, countBecomes, dialogCloses, startStudio } from './browser.ts';

const studio = await startStudio();

/** Signs a player in with a key, and returns the status. */
const tryKey = async (gameKey: string): Promise<number> =>
  (
    await studio.app.http.post(
      '/api/player-auth/login',
      { provider: 'Mock', token: 'mock:ada:secret' },
      { gameKey },
    )
  ).status;

/** Whether a field of the page has this value. */
const hasInput = (page: Page, value: string): Promise<boolean> =>
  page
    .locator('input')
    .evaluateAll((all, text) => all.some((input) => (input as HTMLInputElement).value === text), value);

describe('keys', () => {
  test('creates a key that works and shows it once', async () => {
    const page = await studio.open(`${studio.game}/keys`);
    await page.getByRole('button', { name: 'Create a game key' }).click();
    await page.getByLabel('Name').fill('Build 7');
    await page.getByRole('button', { name: 'Create the key' }).click();
    const key = (await page.getByRole('region', { name: 'New key' }).innerText()).trim();
    assert.equal(await tryKey(key), 200);
    await page.getByRole('button', { name: 'I saved the key' }).click();
    await dialogCloses(page);
    await page.getByRole('cell', { name: 'Build 7', exact: true }).waitFor();
    assert.ok(!(await page.content()).includes(key), 'the key has left the page');
  });

  test('rotates a key and refuses the old one after the grace period', async () => {
    const page = await studio.open(`${studio.game}/keys`);
    await page.getByRole('button', { name: 'Create a game key' }).click();
    await page.getByLabel('Name').fill('Old build');
    await page.getByRole('button', { name: 'Create the key' }).click();
    const old = (await page.getByRole('region', { name: 'New key' }).innerText()).trim();
    await page.getByRole('button', { name: 'I saved the key' }).click();
    await dialogCloses(page);

    await page.getByRole('button', { name: 'Change the key Old build' }).click();
    await page.getByRole('menuitem', { name: 'Rotate' }).click();
    await page.getByRole('combobox', { name: 'Grace period of the old key' }).click();
    await page.getByRole('option', { name: 'None: refuse it at once' }).click();
    await page.getByRole('button', { name: 'Rotate the key' }).click();
    const rotated = (await page.getByRole('region', { name: 'New key' }).innerText()).trim();
    assert.deepEqual([await tryKey(rotated), await tryKey(old)], [200, 401]);
  });

  test('opens the API reference with a new key, which is in no URL and no storage', async () => {
    const page = await studio.open(`${studio.game}/keys`);
    await page.getByRole('button', { name: 'Create a game key' }).click();
    await page.getByLabel('Name').fill('Reference');
    await page.getByRole('button', { name: 'Create the key' }).click();
    const key = (await page.getByRole('region', { name: 'New key' }).innerText()).trim();
    const [reference] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('button', { name: /^Try it in the API reference/ }).click(),
    ]);
    const namesGame = async () => (await reference.content()).includes(studio.tenant.tenantId);
    await becomes(namesGame, true);
    await becomes(() => hasInput(reference, key), true);
    const kept = await reference.evaluate(() =>
      JSON.stringify([
        location.href,
        { ...localStorage },
        { ...sessionStorage },
        document.cookie,
        history.state,
      ]),
    );
    assert.ok(!kept.includes(key), 'the key is in the memory of the tab only');

    // A plain reference takes no key from a message of its own window.
    const plain = await page.context().newPage();
    await plain.goto('/docs/');
    await plain.evaluate((text) => {
      const filling = { type: 'guildhall-reference', tenantId: 'x', gameKey: text, apiKey: text };
      window.postMessage(filling, location.origin);
    }, key);
    await plain.getByRole('heading', { name: 'Guildhall' }).first().waitFor();
    await becomes(() => hasInput(plain, key), false);
  });

  test('revokes a key after its name is typed', async () => {
    const page = await studio.open(`${studio.game}/keys`);
    // An API key has the same name.
    const table = page.getByRole('region', { name: 'Game keys' });
    await table.getByRole('button', { name: 'Change the key test' }).click();
    await page.getByRole('menuitem', { name: 'Revoke' }).click();
    const revoke = page.getByRole('button', { name: 'Revoke the key' });
    assert.ok(await revoke.isDisabled());
    await page.getByLabel('Type test to confirm').fill('test');
    await revoke.click();
    await dialogCloses(page);
    assert.equal(await tryKey(studio.tenant.gameKey), 401);
  });

  test('shows a viewer the keys without any action', async () => {
    const page = await studio.open(`${studio.game}/keys`, { role: 'viewer' });
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    await page
      .getByRole('region', { name: 'API keys' })
      .getByRole('cell', { name: 'test', exact: true })
      .waitFor();
    await countBecomes(page.getByRole('button', { name: /^Create/ }), 0);
    await countBecomes(page.getByRole('button', { name: /^Change the key/ }), 0);
  });
});
