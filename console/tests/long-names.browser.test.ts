import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { arrangeAccount, arrangePlayer, arrangeTenant } from '../../server/src/testing/arrange.ts';
import { becomes, countBecomes, startStudio } from './browser.ts';

const studio = await startStudio();
const { app, tenant, game } = studio;
const LONG = 'Donaudampfschiff'.repeat(8);
const RIGHT_TO_LEFT = 'مرحبا بكم في لعبة الميناء الكبير للاعبين الجدد';
const PHONE = { viewport: { width: 390, height: 800 } };

/** Waits until the text of an element is inside of another element, so that nothing of it is cut off. */
const isInside = (text: Locator, frame: Locator): Promise<void> =>
  becomes(async () => {
    const { left, right } = await text.evaluate((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      return range.getBoundingClientRect();
    });
    const box = (await frame.boundingBox())!;
    return left >= box.x && right <= box.x + box.width;
  }, true);

describe('a name of 128 characters without a space', () => {
  test('can be read in the question in which it is typed', async () => {
    await app.owner.query(`UPDATE tenant_keys SET name = $2 WHERE tenant_id = $1 AND kind = 'game'`, [
      tenant.tenantId,
      LONG,
    ]);
    const page = await studio.open(`${game}/keys`, PHONE);
    await page.getByRole('button', { name: `Change the key ${LONG}` }).click();
    await page.getByRole('menuitem', { name: 'Revoke' }).click();
    const dialog = page.getByRole('dialog');
    await isInside(dialog.locator('code'), dialog);
  });

  test('can be read in the list of games', async () => {
    const other = await arrangeTenant(app, { workspaceId: tenant.workspaceId });
    await app.owner.query('UPDATE tenants SET name = $2 WHERE id = $1', [other.tenantId, LONG]);
    const page = await studio.open(`${game}/keys`, PHONE);
    await page.getByRole('button', { name: 'Game: Tidewater' }).click();
    await isInside(page.getByRole('menuitem', { name: LONG }), page.getByRole('menu'));
  });

  test('can be read in the choices of a form', async () => {
    const payer = await arrangeTenant(app);
    await app.owner.query('UPDATE workspaces SET name = $2 WHERE id = $1', [payer.workspaceId, LONG]);
    await app.owner.query(
      `INSERT INTO memberships (workspace_id, account_id, role) SELECT $1, id, 'admin' FROM accounts WHERE email = $2`,
      [payer.workspaceId, studio.owner.email],
    );
    const page = await studio.open(`${game}/keys`, PHONE);
    await page.getByRole('button', { name: 'Create an API key' }).click();
    await page.getByRole('combobox', { name: 'Workspace that pays for the reads' }).click();
    await isInside(page.getByRole('option', { name: LONG }), page.getByRole('listbox'));
  });

  test('can be read on a page, as the reason of a ban', async () => {
    const { playerId } = await arrangePlayer(app, tenant, 'ada');
    const admin = await arrangeAccount(app, tenant, 'admin');
    const path = `/api/bus_tenants/${tenant.tenantId}/players/${playerId}/ban`;
    assert.equal((await app.http.post(path, { reason: LONG }, admin)).status, 201);
    const page = await studio.open(`${game}/players/${playerId}`, PHONE);
    await isInside(page.getByText(`Reason: ${LONG}`), page.locator('main'));
  });
});

describe('a name that is written from right to left', () => {
  test('shows its beginning in the top bar', async () => {
    const other = await arrangeTenant(app, { workspaceId: tenant.workspaceId });
    await app.owner.query('UPDATE tenants SET name = $2 WHERE id = $1', [other.tenantId, RIGHT_TO_LEFT]);
    const page = await studio.open(`/games/${other.tenantId}/keys`, PHONE);
    const name = page.getByRole('button', { name: `Game: ${RIGHT_TO_LEFT}` }).locator('span');
    await becomes(
      () =>
        name.evaluate((element) => {
          const range = document.createRange();
          range.setStart(element.firstChild!, 0);
          range.setEnd(element.firstChild!, 1);
          const [first, shown] = [range.getBoundingClientRect(), element.getBoundingClientRect()];
          return first.left >= shown.left && first.right <= shown.right + 1;
        }),
      true,
    );
  });
});

describe('the lists of keys', () => {
  test('show all their columns in a window of 1,280 pixels', async () => {
    const page = await studio.open(`${game}/keys`);
    for (const name of ['Game keys', 'API keys']) {
      const table = page.getByRole('region', { name });
      await countBecomes(table.getByRole('columnheader', { name: 'Action' }), 1);
      const isWide = () => table.evaluate((region) => region.scrollWidth > region.clientWidth);
      await becomes(isWide, false);
    }
  });
});
