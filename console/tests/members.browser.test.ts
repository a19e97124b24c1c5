import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { arrangeAccount } from '../../server/src/testing/arrange.ts';
import { arrangeInvitation } from '../../server/src/testing/invitations.ts';
import { accountClient } from '../../server/src/testing/account-client.ts';
import { someEmail } from '../../server/src/testing/mailbox.ts';
import { becomes, countBecomes, dialogCloses, startStudio, type Studio } from './browser.ts';

const studio = await startStudio();
const { app, tenant } = studio;
const workspace = `/workspaces/${tenant.workspaceId}`;
const accounts = await accountClient(app);

async function arrangeMember(role: 'admin' | 'viewer'): Promise<string> {
  const { email, id } = await accounts.signUpVerified();
  await app.owner.query('INSERT INTO memberships (workspace_id, account_id, role) VALUES ($1, $2, $3)', [
    tenant.workspaceId,
    id,
    role,
  ]);
  return email;
}

const rowOf = (page: Page, email: string) => page.getByRole('row').filter({ hasText: email });

const open = (role: NonNullable<Parameters<Studio['open']>[1]>['role'], path = '/members') =>
  studio.open(`${workspace}${path}`, { role });

describe('members', () => {
  test('are managed by admins, except for owners and their invitations', async () => {
    const email = await arrangeMember('viewer');
    const invited = someEmail();
    await arrangeInvitation(app, tenant, { email: invited, role: 'owner' });
    const page = await open('admin');
    const owner = rowOf(page, studio.owner.email);
    await owner.getByText('Owner').waitFor();
    await countBecomes(owner.getByRole('combobox'), 0);
    await countBecomes(owner.getByRole('button'), 0);
    await countBecomes(rowOf(page, invited).getByRole('button'), 0);

    await page.getByRole('combobox', { name: `Role of ${email}` }).click();
    assert.deepEqual(await page.getByRole('option').allInnerTexts(), ['Admin', 'Viewer']);
    await page.getByRole('option', { name: 'Admin' }).click();
    await page.getByRole('button', { name: 'Change the role to admin' }).click();
    await dialogCloses(page);
    await rowOf(page, email)
      .getByRole('button', { name: `Change the member ${email}` })
      .click();
    await page.getByRole('menuitem', { name: 'Remove the member' }).click();
    await page.getByRole('button', { name: 'Remove the member' }).click();
    await rowOf(page, email).waitFor({ state: 'detached' });
  });

  test('offer a viewer only to leave, which leads to the workspaces', async () => {
    const page = await open('viewer');
    const menu = page.getByRole('main').getByRole('button', { name: /^Change the member / });
    await menu.waitFor();
    await countBecomes(page.getByRole('main').getByRole('button'), 1);
    await countBecomes(page.getByRole('main').getByRole('combobox'), 0);
    // It ends when the page is closed.
    const missing = page.getByText('does not exist').waitFor({ timeout: 0 });
    missing.catch(() => {});
    await menu.click();
    await page.getByRole('menuitem', { name: 'Leave the workspace' }).click();
    await page.getByRole('button', { name: 'Leave the workspace' }).click();
    await page.waitForURL('**/workspaces');
    await page.getByRole('heading', { name: 'No workspace yet' }).waitFor();
    await page.close();
    await assert.rejects(missing, 'the page of the workspace does not say that it is missing');
  });
});

describe('the list of members on a phone', () => {
  test('has an edge on the right until its end is in view, in both color schemes', async () => {
    const page = await studio.open(`${workspace}/members`, { viewport: { width: 390, height: 800 } });
    await rowOf(page, studio.owner.email).waitFor();
    const table = page.getByRole('region', { name: 'Members' });
    const { x, y, width } = (await table.boundingBox())!;
    // Inside of the first row, whose border is between two pixels. Relative times of other columns change.
    const clip = { x: x + width - 20, y: y + 42, width: 20, height: 16 };
    const hasEdge = async () => {
      const shown = await page.screenshot({ clip });
      await table.evaluate((element) => element.style.setProperty('--gh-edge', 'transparent'));
      const plain = await page.screenshot({ clip });
      await table.evaluate((element) => element.style.removeProperty('--gh-edge'));
      return !shown.equals(plain);
    };
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await table.evaluate((element) => (element.scrollLeft = 0));
      await becomes(hasEdge, true);
      await table.evaluate((element) => (element.scrollLeft = element.scrollWidth));
      await becomes(hasEdge, false);
    }
  });
});

describe('the name of a workspace', () => {
  test('is changed by owners only', async () => {
    const admin = await open('admin', '');
    await admin.getByRole('button', { name: 'Create a game' }).waitFor();
    await countBecomes(admin.getByRole('button', { name: 'Rename' }), 0);
    const owner = await open('owner', '');
    await owner.getByRole('button', { name: 'Rename' }).click();
    await owner.getByRole('textbox', { name: 'Name' }).fill('Lighthouse Games');
    await owner.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
    await owner.getByRole('heading', { level: 1, name: 'Lighthouse Games' }).waitFor();
  });
});

describe('the audit log of a workspace', () => {
  test('is in the side bar, with the records that belong to no game', async () => {
    const owner = await arrangeAccount(app, tenant, 'owner');
    const created = await app.http.post(
      `/api${workspace}/webhooks`,
      { url: 'https://hooks.example.com' },
      owner,
    );
    assert.equal(created.status, 201, created.text);
    const page = await studio.open(studio.game);
    await page.getByRole('link', { name: 'Workspace audit log' }).click();
    await page.getByText('Who changed what in this workspace and its games').waitFor();
    await page.getByRole('heading', { level: 1, name: 'Workspace audit log' }).waitFor();
    await becomes(() => page.title(), 'Workspace audit log · Guildhall');
    await page.getByRole('cell', { name: 'Created a webhook' }).waitFor();
  });
});
