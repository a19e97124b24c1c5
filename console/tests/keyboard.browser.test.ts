import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { arrangeAccount, arrangePlayer } from '../../server/src/testing/arrange.ts';
import { arrangeDeliveries, arrangeWebhook } from '../../server/src/testing/webhooks.ts';
import {
  assertAccessible,
  becomes,
  countBecomes,
  dialogCloses,
  dialogHasFocus,
  EXACT_TIME,
  startStudio,
} from './browser.ts';

// The most common tasks, with the keyboard alone.

const studio = await startStudio();
const ada = await arrangePlayer(studio.app, studio.tenant, 'ada');
await studio.app.owner.query(`UPDATE players SET display_name = 'Ada Lovelace' WHERE id = $1`, [
  ada.playerId,
]);

/** Presses Shift+Tab until an element with this name has the focus. */
const tabBackTo = (page: Page, name: string): Promise<void> => tabTo(page, name, 'Shift+Tab');

/** Presses the arrow key until an item of the open menu has the focus, and chooses it. */
async function chooseMenuItem(page: Page, name: string): Promise<void> {
  await tabTo(page, name, 'ArrowDown');
  await page.keyboard.press('Enter');
}

/** Presses a key until an element with this name has the focus. */
async function tabTo(page: Page, name: string, key = 'Tab'): Promise<void> {
  for (let presses = 0; presses < 80; presses++) {
    const focused = await page.evaluate(() => {
      const element = document.activeElement as HTMLElement | null;
      const label = element instanceof HTMLInputElement ? element.labels?.[0]?.textContent : undefined;
      return element?.getAttribute('aria-label') ?? label ?? element?.textContent ?? '';
    });
    if (focused.replace('*', '').trim() === name) return;
    await page.keyboard.press(key);
  }
  assert.fail(`${key} does not reach "${name}"`);
}

describe('the keyboard alone', () => {
  test('signs in, with a look at the typed password', async () => {
    const page = await studio.visit('/sign-in');
    await page.getByLabel('Email').waitFor();
    await page.keyboard.type(studio.owner.email);
    await page.keyboard.press('Tab');
    await page.keyboard.type(studio.owner.password);
    await tabTo(page, 'Show the text of “Password”');
    await page.keyboard.press('Space');
    const password = page.getByRole('textbox', { name: 'Password' });
    await becomes(() => password.getAttribute('type'), 'text');
    await tabTo(page, 'Sign in');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${studio.game}`);
  });

  test('finds a player with the command palette and bans the player', async () => {
    const page = await studio.open(studio.game);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Go to a page, a game, a player or a match' }).waitFor();
    await dialogHasFocus(page);
    await page.keyboard.type('Ada');
    await page.getByRole('option', { name: 'Ada Lovelace' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/players/${ada.playerId}`);
    await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
    await tabTo(page, 'Ban');
    await page.keyboard.press('Enter');
    await page.getByLabel('Reason').waitFor();
    await dialogHasFocus(page);
    await tabTo(page, 'Reason');
    await page.keyboard.type('Cheating');
    await page.keyboard.press('Enter');
    await page.getByText('Banned', { exact: true }).first().waitFor();
  });

  test('filters the list of players, clears the filter, moves through the rows and opens one', async () => {
    const page = await studio.open(`${studio.game}/players`);
    const link = page.getByRole('link', { name: 'Ada Lovelace' });
    await link.waitFor();
    await tabTo(page, 'Provider');
    await page.keyboard.press('Enter');
    await page.getByRole('option').first().waitFor();
    assert.equal(await page.getByRole('option', { name: 'Any' }).count(), 0);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'No player matches' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: 'Any' }).waitFor();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await link.waitFor();
    await becomes(async () => new URL(page.url()).search, '');
    await tabTo(page, 'Players');
    await page.getByRole('region', { name: 'Players' }).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/players/${ada.playerId}`);
  });

  test('shows the exact time and the whole id in a row, and the exact time of a record', async () => {
    const page = await studio.open(`${studio.game}/players`);
    const link = page.getByRole('link', { name: 'Ada Lovelace' });
    const tip = page.getByRole('tooltip');
    await link.press('ArrowRight');
    await tip.filter({ hasText: ada.playerId }).waitFor();
    for (let column = 0; column < 4; column++) await page.keyboard.press('ArrowRight');
    await tip.filter({ hasText: EXACT_TIME }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/players/${ada.playerId}`);
    await page.locator('time').first().waitFor();
    await tabTo(page, await page.locator('time').first().innerText());
    await tip.filter({ hasText: EXACT_TIME }).waitFor();
  });

  test('creates a key', async () => {
    const page = await studio.open(`${studio.game}/keys`);
    await page.getByRole('button', { name: 'Create a game key' }).waitFor();
    await tabTo(page, 'Create a game key');
    await page.keyboard.press('Enter');
    await page.getByLabel('Name').waitFor();
    await dialogHasFocus(page);
    await tabTo(page, 'Name');
    await page.keyboard.type('Build 9');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'New key' }).waitFor();
    await dialogHasFocus(page);
    await tabTo(page, 'I saved the key');
    await page.keyboard.press('Enter');
    await page.getByRole('cell', { name: 'Build 9', exact: true }).waitFor();
  });

  test('rotates a key', async () => {
    const page = await studio.open(`${studio.game}/keys`);
    const menu = page.getByRole('button', { name: /^Change the key/ }).first();
    const name = (await menu.getAttribute('aria-label'))!;
    await tabTo(page, name);
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Rotate' }).waitFor();
    await page.locator('[role=menuitem]:first-child:focus-visible').waitFor();
    await assertAccessible(page, 'the menu of a key', ['aria-required-children']);
    await chooseMenuItem(page, 'Rotate');
    await dialogHasFocus(page);
    await tabTo(page, 'Rotate the key');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'New key' }).waitFor();
    await dialogHasFocus(page);
    await tabTo(page, 'I saved the key');
    await page.keyboard.press('Enter');
    await dialogCloses(page);
    // The new key has the same name, so that the menu is called after the prefix too.
    await becomes(
      () => page.evaluate(() => document.activeElement?.ariaLabel?.replace(/ \(gh_game_.*/, '')),
      name,
    );
  });

  test('redelivers all deliveries that match, and stops the redelivery', async () => {
    const { app, tenant } = studio;
    const path = `/workspaces/${tenant.workspaceId}/webhooks`;
    const admin = await arrangeAccount(app, tenant, 'admin');
    const webhook = await arrangeWebhook(app, `/api${path}`, admin, { url: 'https://hooks.example.com' });
    await arrangeDeliveries(app, webhook.id, 150);
    const page = await studio.open(`${path}/${webhook.id}`);
    await page.getByRole('cell', { name: 'Failed', exact: true }).first().waitFor();
    await tabTo(page, 'Select all rows that are loaded');
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Redeliver 100 selected' }).waitFor();
    await tabBackTo(page, 'Select all 150 that match');
    await page.keyboard.press('Enter');
    await tabBackTo(page, 'Redeliver all 150 that match');
    await page.keyboard.press('Enter');
    await becomes(() => page.evaluate(() => document.activeElement?.ariaLabel), 'Redelivery');
    await page.keyboard.press('Tab');
    await tabTo(page, 'Stop the redelivery');
    await page.keyboard.press('Enter');
    await page.getByText(/^Redelivery stopped .*: 0 delivered, 150 not sent\.$/).waitFor();
    await becomes(() => page.evaluate(() => document.activeElement?.ariaLabel), 'Redelivery');
  });

  test('returns the focus to the opener of a dialog or menu, and keeps it near a removed row', async () => {
    const page = await studio.open(`${studio.game}/keys`);
    const focusIs = (name: string): Promise<void> =>
      becomes(
        () =>
          page.evaluate(() => document.activeElement?.ariaLabel ?? document.activeElement?.textContent ?? ''),
        name,
      );
    await page.getByRole('button', { name: 'Create a game key' }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Name').waitFor();
    await dialogHasFocus(page);
    await page.keyboard.press('Escape');
    await dialogCloses(page);
    await focusIs('Create a game key');

    const menu = page.getByRole('button', { name: /^Change the key/ }).first();
    const name = (await menu.getAttribute('aria-label'))!;
    await menu.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Revoke' }).focus();
    await page.keyboard.press('Enter');
    await dialogHasFocus(page);
    await page.keyboard.press('Escape');
    await dialogCloses(page);
    await focusIs(name);

    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Revoke' }).focus();
    await page.keyboard.press('Enter');
    await dialogHasFocus(page);
    await page
      .getByRole('dialog')
      .getByRole('textbox')
      .fill(name.replaceAll(/^Change the key | \(gh_.*/g, ''));
    await page.keyboard.press('Enter');
    await dialogCloses(page);
    await focusIs('Game keys');
  });

  test('closes the notifications after all are read, and the menu of views if none is saved', async () => {
    await studio.app.owner.query(
      `INSERT INTO notifications (id, account_id, type, title, text, workspace_id)
       SELECT gen_random_uuid(), id, 'usage.warning', 'Much is used', 'The plan is nearly used.', $1
       FROM accounts WHERE email = $2`,
      [studio.tenant.workspaceId, studio.owner.email],
    );
    const page = await studio.open(`${studio.game}/players`);
    await page.getByRole('button', { name: 'Notifications: 1 unread' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /^Much is used/ }).waitFor();
    await page.route('**/notifications/read-all', (route) => route.abort());
    await tabTo(page, 'Mark all as read');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await page.unroute('**/notifications/read-all');
    await tabBackTo(page, 'Mark all as read');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Notifications', exact: true }).waitFor();
    await countBecomes(page.getByRole('alert'), 0);
    await page.keyboard.press('Escape');
    await countBecomes(page.getByRole('button', { name: /^Much is used/ }), 0);

    await page.getByRole('button', { name: 'Views' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Set filters, then give them a name here.').waitFor();
    await page.locator('[role=dialog]:focus').waitFor();
    await page.keyboard.press('Escape');
    await countBecomes(page.getByText('Set filters, then give them a name here.'), 0);
  });

  test('creates a definition', async () => {
    const page = await studio.open(`${studio.game}/definitions`);
    await page.getByRole('button', { name: 'Create a definition' }).first().waitFor();
    await tabTo(page, 'Create a definition');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByLabel('Event key').waitFor();
    await dialogHasFocus(page);
    await tabTo(page, 'Event key');
    await page.keyboard.type('door_opened');
    await page.keyboard.press('Enter');
    await page.getByRole('cell', { name: 'door_opened', exact: true }).waitFor();
    await page.getByRole('region', { name: 'Definitions' }).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Edit door_opened' }).waitFor();
  });
});
