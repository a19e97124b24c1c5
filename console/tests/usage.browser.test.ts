import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { arrangeTenant, type TestTenant } from '../../server/src/testing/arrange.ts';
import { avoidEndOf } from '../../server/src/testing/avoid-end-of.ts';
import { daysOf } from '../src/pages/usage/periods.ts';
import { assertAccessible, countBecomes, rowsBecome, startStudio } from './browser.ts';

const studio = await startStudio();
const { app, tenant } = studio;
const usage = `/workspaces/${tenant.workspaceId}/usage`;
const other = await arrangeTenant(app, { workspaceId: tenant.workspaceId });
await app.owner.query(`UPDATE tenants SET name = 'Undertow' WHERE id = $1`, [other.tenantId]);

const addUsage = ({ tenantId, workspaceId }: TestTenant, day: string, units: number) =>
  app.owner.query(
    `INSERT INTO usage_entries (workspace_id, at, tenant_id, key_id, units)
     SELECT $1, $2, tenant_id, id, $3 FROM tenant_keys WHERE tenant_id = $4 AND kind = 'game'`,
    [workspaceId, `${day}T00:00:00Z`, units, tenantId],
  );

await avoidEndOf('day');
const today = new Date().toISOString().slice(0, 10);
await addUsage(tenant, today, 1_200);
await addUsage(other, today, 34_000);
await addUsage(other, daysOf('last-month').from, 5_000);

const details = (page: Page) => page.getByRole('region', { name: 'Usage', exact: true });
const row = (page: Page, name: RegExp) => details(page).getByRole('row', { name });

describe('the usage of a workspace', () => {
  test('is that of the billed month, or of the month before, or of one game', async () => {
    const page = await studio.open(`${usage}?groupBy=tenant`, { role: 'viewer' });
    await page.getByText('35,200 units in this period').waitFor();
    await app.owner.query('UPDATE workspaces SET monthly_units = 30000 WHERE id = $1', [tenant.workspaceId]);
    await page.reload();
    await page.getByText('35,200 of 30,000 units · 117 %').waitFor();
    await page.getByText('A platform administrator changes the plan.').waitFor();
    const administrator = await studio.open(usage, { role: 'platformAdmin' });
    await administrator.getByRole('link', { name: 'Change the plan' }).click();
    await administrator.waitForURL(`**/platform/workspaces/${tenant.workspaceId}`);
    await app.owner.query('UPDATE workspaces SET monthly_units = NULL WHERE id = $1', [tenant.workspaceId]);
    await row(page, /^Undertow.*34,000/).waitFor();
    await row(page, /^Tidewater.*1,200/).waitFor();
    await page.getByText('Last month', { exact: true }).click();
    await page.waitForURL('**range=last-month');
    await row(page, /^Undertow.*5,000/).waitFor();
    await rowsBecome(page, 1);

    await page.getByText('This month', { exact: true }).click();
    await rowsBecome(page, 2);
    const download = page.getByRole('button', { name: 'Download CSV' });
    assert.ok(await download.isEnabled());
    const answered = Promise.withResolvers<void>();
    await page.route(`**/usage?**tenantId=${tenant.tenantId}**`, async (route) => {
      await answered.promise;
      await route.continue();
    });
    await page.getByRole('combobox', { name: 'Game' }).click();
    await page.getByRole('option', { name: 'Tidewater' }).click();
    await page.waitForURL(`**tenantId=${tenant.tenantId}`);
    assert.ok(await download.isDisabled(), 'the rows of all games are no file of one game');
    answered.resolve();
    await rowsBecome(page, 1);
    assert.ok(await download.isEnabled());
    await countBecomes(page.getByRole('alert'), 0);
  });

  test('says what happens to requests if the plan includes no units', async () => {
    const { workspaceId } = await arrangeTenant(app);
    await app.owner.query('UPDATE workspaces SET monthly_units = 0, hard_stop = true WHERE id = $1', [
      workspaceId,
    ]);
    await app.owner.query(
      `INSERT INTO memberships (workspace_id, account_id, role)
       SELECT $1, id, 'viewer' FROM accounts WHERE email = $2`,
      [workspaceId, studio.owner.email],
    );
    const page = await studio.open(`/workspaces/${workspaceId}/usage`);
    await page.getByText('0 of 0 units').waitFor();
    await page.getByText('The plan includes no units. Requests are refused.').waitFor();
  });

  test('can be followed from a game to the key that used the units, and to its days', async () => {
    await app.owner.query(
      `INSERT INTO tenant_keys (tenant_id, id, kind, name, fingerprint, prefix)
       SELECT tenant_id, gen_random_uuid(), kind, name, sha256('twin'), prefix FROM tenant_keys
       WHERE tenant_id = $1 AND kind = 'game'`,
      [other.tenantId],
    );
    await app.owner.query(
      `INSERT INTO usage_entries (workspace_id, tenant_id, key_id, units)
       SELECT $1, tenant_id, id, 7 FROM tenant_keys WHERE tenant_id = $2 AND fingerprint = sha256('twin')`,
      [other.workspaceId, other.tenantId],
    );
    const { rows } = await app.owner.query(
      `SELECT id, name FROM tenant_keys WHERE tenant_id = $1 AND kind = 'game' ORDER BY fingerprint = sha256('twin')`,
      [other.tenantId],
    );
    const nameOf = ({ id, name }: { id: string; name: string }) => `${name} · …${id.slice(-6)}`;
    const page = await studio.open(`${usage}?groupBy=tenant`);
    await details(page).getByRole('link', { name: 'Undertow' }).click();
    await page.waitForURL(`**groupBy=key&tenantId=${other.tenantId}`);
    await row(page, /34,000/)
      .getByRole('link', { name: nameOf(rows[0]) })
      .waitFor();
    await row(page, /Game key.* 7 /)
      .getByRole('link', { name: nameOf(rows[1]) })
      .waitFor();
    await rowsBecome(page, 2);
    const lastKey = details(page).getByRole('link', { name: nameOf(rows[1]) });
    await page.getByText('By day', { exact: true }).click();
    await row(page, new RegExp(`^${today}.*34,007`)).waitFor();
    await page.getByText('By key', { exact: true }).click();
    await lastKey.waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download CSV' }).click();
    const file = await download;
    assert.match(
      file.suggestedFilename(),
      new RegExp(`^usage-by-key-${today.slice(0, 7)}-01-to-${today}.csv$`),
    );
    const lines = (await readFile(await file.path(), 'utf8')).trim().split('\r\n');
    assert.equal(lines[0], 'keyName,keyKind,keyId,tenantName,tenantId,units,bytesIn,bytesOut');
    assert.deepEqual(lines.slice(1), [
      `${rows[0].name},game,${rows[0].id},Undertow,${other.tenantId},34000,0,0`,
      `${rows[1].name},game,${rows[1].id},Undertow,${other.tenantId},7,0,0`,
    ]);
    await assertAccessible(page, 'the usage of one game by key');
    await lastKey.click();
    await row(page, new RegExp(`^${today}.* 7 `)).waitFor();
    await page.getByRole('link', { name: 'Open the key' }).waitFor();
    // Another game has other keys.
    await page.getByRole('combobox', { name: 'Game' }).click();
    await page.getByRole('option', { name: 'Tidewater' }).click();
    await row(page, new RegExp(`^${today}.* 1,200 `)).waitFor();
    await page.goBack();
    await lastKey.click();
    await page.getByRole('link', { name: 'Open the key' }).click();
    await page.waitForURL(`**/games/${other.tenantId}/keys?key=${rows[1].id}**`);
  });
});

describe('a plan whose units are used up', () => {
  test('is named on the pages of its games that would look healthy', async () => {
    const spent = await arrangeTenant(app);
    await app.owner.query('UPDATE workspaces SET monthly_units = 30, hard_stop = true WHERE id = $1', [
      spent.workspaceId,
    ]);
    await app.owner.query(
      `INSERT INTO memberships (workspace_id, account_id, role)
       SELECT $1, id, 'viewer' FROM accounts WHERE email = $2`,
      [spent.workspaceId, studio.owner.email],
    );
    await addUsage(spent, today, 30);
    await app.owner.query(
      `INSERT INTO notifications (id, account_id, type, title, text, workspace_id)
       SELECT gen_random_uuid(), id, 'usage.warning', 'A warning', '', $1 FROM accounts WHERE email = $2`,
      [tenant.workspaceId, studio.owner.email],
    );
    const page = await studio.open(`/games/${spent.tenantId}/events/rejected`);
    await page.getByText(/Requests with a wrong key or on a used-up plan are not listed/).waitFor();
    const notice = page.getByText(
      /^All 30 units are used\. Guildhall refuses requests until [A-Z][a-z]+ 1\./,
    );
    await notice.waitFor();
    await page.getByRole('link', { name: 'Stored events' }).click();
    await page.waitForURL('**/events');
    await notice.waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await assertAccessible(page, 'the notice', ['color-contrast', 'region']);
    await notice.getByRole('link', { name: 'Open the usage' }).click();
    await page.waitForURL(`**/workspaces/${spent.workspaceId}/usage`);
    await countBecomes(notice, 0);
    // A reader of several workspaces sees which one a notification is about.
    await page.getByRole('button', { name: 'Notifications: 1 unread' }).click();
    await page.getByRole('button', { name: 'A warning' }).getByText('Workspace: Harbor Games').waitFor();
  });
});

describe('a report of 1,000 keys', () => {
  test('says that it may have no more', async () => {
    const page = await studio.open(`${usage}?groupBy=key`);
    const cut = page.getByText('The 1,000 with the most units');
    await row(page, /34,000/).waitFor();
    await countBecomes(cut, 0);
    await app.owner.query(
      `INSERT INTO usage_entries (workspace_id, at, tenant_id, key_id, units)
       SELECT $1, $2, $3, gen_random_uuid(), 1 FROM generate_series(1, 1000)`,
      [tenant.workspaceId, `${today}T00:00:00Z`, tenant.tenantId],
    );
    await page.reload();
    await cut.waitFor();
    await page.getByText('By game', { exact: true }).click();
    await countBecomes(cut, 0);
  });
});

describe('the days of a period', () => {
  test('are calendar months and days of UTC', () => {
    const now = new Date('2026-03-01T00:30:00+01:00');
    assert.deepEqual(daysOf('month', now), { from: '2026-02-01', to: '2026-03-01' });
    assert.deepEqual(daysOf('last-month', now), { from: '2026-01-01', to: '2026-02-01' });
    const january = new Date('2027-01-31T12:00:00Z');
    assert.deepEqual(daysOf('month', january), { from: '2027-01-01', to: '2027-02-01' });
    assert.deepEqual(daysOf('last-month', january), { from: '2026-12-01', to: '2027-01-01' });
    assert.deepEqual(daysOf('30d', january), { from: '2027-01-02', to: '2027-02-01' });
  });
});
