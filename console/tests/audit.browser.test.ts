import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  arrangeAccount,
  arrangePlayer,
  arrangeTenant,
  type TestTenant,
} from '../../server/src/testing/arrange.ts';
import {
  assertAccessible,
  backClosesPanel,
  countBecomes,
  dialogCloses,
  rowsBecome,
  startStudio,
} from './browser.ts';

const studio = await startStudio();
const { app, tenant, game } = studio;
const tenantPath = `/api/bus_tenants/${tenant.tenantId}`;
const workspace = `/workspaces/${tenant.workspaceId}`;
const ada = await arrangePlayer(app, tenant, 'ada');
await app.owner.query(`UPDATE players SET display_name = 'Ada Lovelace' WHERE id = $1`, [ada.playerId]);
const admin = await arrangeAccount(app, tenant, 'admin');
const { rows: accounts } = await app.owner.query('SELECT email FROM accounts WHERE id = $1', [
  admin.accountId,
]);
const author: string = accounts[0].email;

const { body: key } = await app.http.post(`${tenantPath}/game-keys`, { name: 'Build 7' }, admin);
const { body: definition } = await app.http.post(
  `${tenantPath}/event-definitions`,
  { eventKey: 'boss_defeated', eventValue: 'kraken' },
  admin,
);
for (const { status, text } of [
  await app.http.patch(`${tenantPath}/game-keys/${key.id}`, { rateLimit: { perMinute: 1_000 } }, admin),
  await app.http.delete(`${tenantPath}/game-keys/${key.id}`, admin),
  await app.http.patch(`${tenantPath}/event-definitions/${definition.id}`, { isActive: false }, admin),
  await app.http.patch(tenantPath, { hiddenFromDiscovery: true }, admin),
  await app.http.post(`${tenantPath}/players/${ada.playerId}/ban`, { reason: 'Cheating' }, admin),
])
  assert.ok(status < 300, text);

describe('the audit log of a game', () => {
  test('says in words what was done to what, by whom, shows a record as it is stored, and filters by an action', async () => {
    const page = await studio.open(`${game}/audit`, { role: 'viewer' });
    for (const [action, target, details] of [
      ['Banned a player', 'Ada Lovelace', 'reason: Cheating'],
      ['Changed the game', 'Tidewater', 'hidden from discovery: no → yes'],
      ['Changed a definition', 'boss_defeated · kraken', 'is active: yes → no'],
      ['Revoked a game key', 'Build 7', `prefix: ${key.prefix}`],
      ['Changed a game key', 'Build 7', 'rate limit: – → per minute: 1,000'],
    ] as const) {
      const row = page
        .getByRole('row')
        .filter({ has: page.getByRole('cell', { name: action, exact: true }) });
      await row.getByRole('button', { name: `${target}: copy the id` }).waitFor();
      await row.getByRole('button', { name: `${author}: copy the id` }).waitFor();
      await row.getByRole('cell', { name: details, exact: true }).waitFor();
    }
    await assertAccessible(page, 'the audit log');

    const change = page.getByRole('cell', { name: 'Changed the game', exact: true });
    await backClosesPanel(page, change);
    await change.click();
    const record = page.getByRole('dialog', { name: 'Changed the game' });
    await record.getByRole('button', { name: 'tenant.updated: copy' }).waitFor();
    await record.getByText('hiddenFromDiscovery').first().waitFor();
    await assertAccessible(page, 'an audit record');
    await record.getByRole('button', { name: `${author}: copy the id` }).hover();
    await page.getByRole('tooltip').filter({ hasText: admin.accountId }).waitFor();
    await page.reload();
    await record.waitFor();
    await page.keyboard.press('Escape');
    await dialogCloses(page);

    // The reader finds the action by its words.
    await page.getByRole('combobox', { name: 'Action' }).fill('game key');
    await page.getByRole('option', { name: 'Revoked a game key' }).click();
    await page.waitForURL('**/audit?action=game_key.revoked');
    await rowsBecome(page, 1);
  });

  test('shows an action that the console does not know', async () => {
    await app.owner.query(
      `INSERT INTO audit_records (id, workspace_id, tenant_id, actor_kind, action, details)
       VALUES (gen_random_uuid(), $1, $2, 'system', 'sign_in_link.sent', '{}')`,
      [tenant.workspaceId, tenant.tenantId],
    );
    const page = await studio.open(`${game}/audit?action=sign_in_link.sent`);
    const row = page.getByRole('row', { name: /Sent sign in link/ });
    await row.getByRole('cell', { name: 'Guildhall', exact: true }).waitFor();
    await countBecomes(page.locator('input[value="Sent sign in link"]'), 1);
  });
});

describe('the audit log of a workspace', () => {
  test('names games and members that the records do not name', async () => {
    const owner = await arrangeAccount(app, tenant, 'owner');
    const changed = await app.http.patch(
      `/api${workspace}/members/${admin.accountId}`,
      { role: 'viewer' },
      owner,
    );
    assert.equal(changed.status, 200, changed.text);
    const page = await studio.open(`${workspace}/audit`, { role: 'viewer' });
    const row = page.getByRole('row', { name: /Changed the role of a member/ });
    await row.getByRole('button', { name: `${author}: copy the id` }).waitFor();
    await row.getByRole('cell', { name: 'role: admin → viewer' }).waitFor();
    await page
      .getByRole('row', { name: /Changed the game/ })
      .getByRole('button', { name: 'Tidewater: copy the id' })
      .waitFor();
  });
});

/** Bans a player of a game of this or another workspace. */
async function banSomebody(at: TestTenant, name: string): Promise<string> {
  const { playerId } = await arrangePlayer(app, at, name);
  const { status, text } = await app.http.post(
    `/api/bus_tenants/${at.tenantId}/players/${playerId}/ban`,
    { reason: `Ban of ${name}` },
    await arrangeAccount(app, at, 'admin'),
  );
  assert.ok(status < 300, text);
  return playerId;
}

describe('players of several games', () => {
  test('have names in the audit logs of their workspace and of the platform', async () => {
    const twin = await arrangeTenant(app, { workspaceId: tenant.workspaceId });
    await banSomebody(twin, 'ben');
    for (const path of [`${workspace}/audit`, '/platform/audit']) {
      const page = await studio.open(path, { role: 'platformAdmin' });
      for (const [reason, name] of [
        ['Ban of ben', 'ben'],
        ['Cheating', 'Ada Lovelace'],
      ] as const)
        await page
          .getByRole('row', { name: `reason: ${reason}` })
          .getByRole('button', { name: `${name}: copy the id` })
          .waitFor();
    }
  });

  test('keep their ids if the platform administrator is no member of their workspace', async () => {
    const stranger = await arrangeTenant(app);
    const playerId = await banSomebody(stranger, 'cam');
    const page = await studio.open('/platform/audit', { role: 'platformAdmin' });
    const lookUps: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/players/bulk')) lookUps.push(request.url());
    });
    await page.reload();
    await page
      .getByRole('row', { name: 'reason: Ban of cam' })
      .getByRole('button', { name: `${playerId.slice(0, 6)}…${playerId.slice(-6)}: copy` })
      .waitFor();
    await page.getByRole('button', { name: 'Ada Lovelace: copy the id' }).first().waitFor();
    assert.ok(lookUps.every((url) => !url.includes(stranger.tenantId)));
  });
});

describe('the overview', () => {
  test('says the latest changes in words, with their targets, and leads to their records', async () => {
    const page = await studio.open(game);
    for (const [action, target] of [
      ['Banned a player', 'Ada Lovelace'],
      ['Revoked a game key', 'Build 7'],
      ['Changed the game', 'Tidewater'],
    ] as const)
      await page.getByRole('listitem').filter({ hasText: action }).filter({ hasText: target }).waitFor();
    await countBecomes(page.getByText('player.banned'), 0);
    await page.getByRole('link', { name: 'Revoked a game key' }).click();
    await page.waitForURL(`**/audit?action=game_key.revoked&targetId=${key.id}`);
    await rowsBecome(page, 1);
  });
});
