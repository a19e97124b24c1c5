import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { arrangePlayer } from '../../server/src/testing/arrange.ts';
import {
  assertAccessible,
  backClosesPanel,
  becomes,
  countBecomes,
  dialogCloses,
  failUntilTriedAgain,
  rowsBecome,
  startStudio,
} from './browser.ts';

const studio = await startStudio();
const { app, tenant } = studio;
const ada = await arrangePlayer(app, tenant, 'ada');
await app.owner.query(`UPDATE players SET display_name = 'Ada Lovelace' WHERE id = $1`, [ada.playerId]);
await app.owner.query(
  `INSERT INTO email_credentials (email, player_id, mails_since, mails_sent) VALUES ('ada@example.com', $1, now(), 0)`,
  [ada.playerId],
);

const open = (path: string) => studio.open(`/platform/${path}`, { role: 'platformAdmin' });

describe('platform administration', () => {
  test('is not offered to other accounts, and its pages say whom they are for', async () => {
    const page = await studio.open(studio.game);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await countBecomes(page.getByRole('link', { name: 'All workspaces' }), 0);
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    const paths = [
      '',
      'workspaces',
      `workspaces/${tenant.workspaceId}`,
      'webhooks',
      'signing-keys',
      'health',
      'outbox',
    ];
    for (const path of paths) {
      await page.goto(`/platform/${path}`);
      await page.getByRole('heading', { name: 'Your role does not allow this page' }).waitFor();
      await page.getByText(`You are signed in as ${studio.owner.email}.`).waitFor();
      await countBecomes(page.getByRole('main').getByRole('button'), 0);
    }
    await assertAccessible(page, 'a page for another role');
    assert.deepEqual(
      requests.filter((url) => url.includes('/api/admin/')),
      [],
    );
  });

  test('finds a workspace and changes its plan', async () => {
    const page = await open('workspaces');
    await page.getByRole('link', { name: 'Harbor Games' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('harb');
    await page.waitForURL('**/platform/workspaces?search=harb');
    await page.getByRole('region', { name: 'All workspaces' }).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Harbor Games' }).waitFor();
    await page.getByRole('cell', { name: 'Tidewater' }).waitFor();
    await page.getByRole('cell', { name: studio.owner.email }).waitFor();

    await page.getByRole('button', { name: 'Change the plan' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name of the plan').fill('Studio');
    await dialog.getByLabel('Units per month').fill('5000000');
    await dialog.getByLabel('Match events per request').fill('500');
    await assertAccessible(page, 'the dialog of the plan');
    await dialog.getByRole('button', { name: 'Change the plan' }).click();
    await page.getByText('5,000,000').waitFor();
    const { rows } = await app.owner.query(
      `SELECT plan, monthly_units::int AS units, max_match_event_records_per_request AS events
       FROM workspaces WHERE id = $1`,
      [tenant.workspaceId],
    );
    assert.deepEqual(rows, [{ plan: 'Studio', units: 5_000_000, events: 500 }]);
  });

  test('says that a workspace has more games than it lists', async () => {
    const path = `workspaces/${tenant.workspaceId}`;
    const page = await open(path);
    await page.getByRole('cell', { name: 'Tidewater' }).waitFor();
    await countBecomes(page.getByText('The first 200'), 0);
    await app.owner.query(
      `INSERT INTO tenants (id, workspace_id, name, slug)
       SELECT gen_random_uuid(), $1, 'Game ' || number, 'game-' || number FROM generate_series(1, 200) number`,
      [tenant.workspaceId],
    );
    await page.reload();
    await page.getByRole('region', { name: 'Games' }).waitFor();
    await page.locator('section', { hasText: 'Games' }).getByText('The first 200').waitFor();
    await countBecomes(page.getByText('The first 200'), 1);
    await app.owner.query(`DELETE FROM tenants WHERE workspace_id = $1 AND slug LIKE 'game-%'`, [
      tenant.workspaceId,
    ]);
  });

  test('finds a person by email, and deletes the player after the name was typed', async () => {
    const page = await open('players');
    await page.getByText('Each search leaves an audit record.').waitFor();
    const find = async (text: string) => {
      await page.getByRole('searchbox').fill(text);
      await page.getByRole('searchbox').press('Enter');
    };
    await find('nobody@example.com');
    await page.getByRole('heading', { name: 'Nobody has this id or address' }).waitFor();
    await find('ada@example.com');
    await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
    await page
      .getByRole('region', { name: 'Games of Ada Lovelace' })
      .getByRole('link', { name: 'Tidewater' })
      .waitFor();
    await page.getByRole('button', { name: 'Delete the player' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete Ada Lovelace' });
    const confirm = dialog.getByRole('button', { name: 'Delete the player' });
    assert.ok(await confirm.isDisabled());
    await dialog.getByLabel('Type Ada Lovelace to confirm').fill('Ada Lovelace');
    await confirm.click();

    // The address finds nobody any more. The id finds the receipt.
    await page.waitForURL(`**/platform/players?search=${ada.playerId}`);
    await page.getByRole('heading', { name: 'Receipt of the deletion' }).waitFor();
    await page.getByText('Deleted', { exact: true }).first().waitFor();
    await countBecomes(page.getByRole('button', { name: 'Delete the player' }), 0);
    await assertAccessible(page, 'a receipt');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download the receipt' }).click(),
    ]);
    const receipt = JSON.parse(await readFile(await download.path(), 'utf8'));
    assert.deepEqual([receipt.playerId, receipt.deletedBy], [ada.playerId, 'account']);
    const { rows } = await app.owner.query('SELECT is_active FROM players WHERE id = $1', [ada.playerId]);
    assert.deepEqual(rows, [{ is_active: false }]);

    await page.goto('/platform/deletion-receipts');
    const deleted = page.getByRole('cell', { name: 'An administrator' });
    await backClosesPanel(page, deleted);
    await deleted.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Download the receipt' }).waitFor();
    await page.goto(`${studio.game}/players/${ada.playerId}`);
    await page.getByRole('heading', { name: 'Receipt of the deletion' }).waitFor();
  });

  test('shows an email by its URL, and closes it with the back button', async () => {
    const page = await open('outbox');
    const email = page.locator('tr[data-row]').first();
    await backClosesPanel(page, email);
    await email.click();
    await page.waitForURL('**/platform/outbox?email=*');
    await page.reload();
    await page.getByRole('dialog').getByRole('region', { name: 'Text of the email' }).waitFor();
  });

  test('shows a player as deleted who was found by the id', async () => {
    const { playerId } = await arrangePlayer(app, tenant, 'cyd');
    const page = await open(`players?search=${playerId}`);
    await page.getByRole('button', { name: 'Delete the player' }).click();
    const dialog = page.getByRole('dialog', { name: /^Delete / });
    await dialog.getByRole('textbox').fill(await dialog.locator('code').innerText());
    await dialog.getByRole('button', { name: 'Delete the player' }).click();
    await page.getByRole('heading', { name: 'Receipt of the deletion' }).waitFor();
    await countBecomes(page.getByRole('button', { name: 'Delete the player' }), 0);
  });

  test('shows a player as deleted who was deleted on the page of the player', async () => {
    const bob = await arrangePlayer(app, tenant, 'bob');
    const page = await studio.open(`${studio.game}/players/${bob.playerId}`, { role: 'platformAdmin' });
    const find = async () => {
      await page.getByRole('link', { name: 'Find a player' }).click();
      await page.getByRole('searchbox').fill(bob.playerId);
      await page.getByRole('searchbox').press('Enter');
    };
    await find();
    await page.getByText('Active', { exact: true }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Delete the player' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete bob' });
    await dialog.getByLabel('Type bob to confirm').fill('bob');
    await dialog.getByRole('button', { name: 'Delete the player' }).click();
    await dialogCloses(page);
    await find();
    await page.getByRole('heading', { name: 'Receipt of the deletion' }).waitFor();
    await countBecomes(page.getByText('Active', { exact: true }), 0);
  });

  test('searches for a person once, and leaves one audit record', async () => {
    const page = await open('players');
    await page.getByRole('searchbox').pressSequentially('grace@example.com');
    await page.getByRole('searchbox').press('Enter');
    await page.getByRole('heading', { name: 'Nobody has this id or address' }).waitFor();
    const { rows } = await app.owner.query(
      `SELECT details->>'searchFingerprint' AS fingerprint FROM audit_records
       WHERE action = 'player.searched' ORDER BY id DESC LIMIT 2`,
    );
    assert.notEqual(rows[0].fingerprint, rows[1].fingerprint);
  });

  test('shows the components and the queues, and the time of the last data if they cannot be read again', async () => {
    await app.owner.query(`UPDATE pgboss.queue SET failed_count = 3, monitor_on = now() WHERE name = 'mail'`);
    const page = await open('health');
    await page.getByText(/^PostgreSQL \d/).waitFor();
    await page.getByText('No Redis is configured.').waitFor();
    await page.getByRole('cell', { name: '3 failed' }).waitFor();

    await failUntilTriedAgain(page, '**/api/admin/health');
    const notice = page.getByRole('status').filter({ hasText: 'This page could not be updated.' });
    await notice.getByText('It failed.').waitFor();
    await page.setViewportSize({ width: 390, height: 740 });
    await becomes(async () => (await notice.boundingBox())!.width < 390, true);
    await notice.getByRole('button', { name: 'Try again' }).click();
    await countBecomes(notice, 0);
  });

  test('rotates the signing keys, and revokes them after a word was typed', async () => {
    const page = await open('signing-keys');
    await page.getByText('Signing', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Rotate the keys' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate the keys' }).click();
    await page.getByText('Waiting', { exact: true }).waitFor();
    await dialogCloses(page);
    assert.ok(await page.getByRole('button', { name: 'Rotate the keys' }).isDisabled());

    await page.getByRole('button', { name: 'Revoke all keys' }).click();
    await page.getByLabel('Type revoke to confirm').fill('revoke');
    await page.getByRole('button', { name: 'Revoke the keys' }).click();
    // The console gets a new access token with its refresh token, and continues.
    await page.getByText('Waiting', { exact: true }).waitFor({ state: 'detached' });
    await page.getByText('Signing', { exact: true }).waitFor();
    await rowsBecome(page, 1);
  });
});
