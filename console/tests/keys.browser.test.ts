import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { arrangeAccount, arrangeTenant } from '../../server/src/testing/arrange.ts';
import { assertAccessible, becomes, countBecomes, dialogCloses, startStudio } from './browser.ts';

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
    const page = await studio.open(studio.game);
    await page.getByRole('link', { name: 'Keys', exact: true }).click();
    await page.getByRole('button', { name: 'Create a game key' }).click();
    await page.getByLabel('Name').fill('Build 7');
    await page.getByRole('button', { name: 'Create the key' }).click();
    const key = (await page.getByRole('region', { name: 'New key' }).innerText()).trim();
    assert.equal(await tryKey(key), 200);
    await page.goBack();
    const question = page.getByRole('dialog', { name: 'Leave this page' });
    await question.getByText('The key stays valid, but is not shown again.').waitFor();
    await question.getByRole('button', { name: 'Leave', exact: true }).waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'I saved the key' }).click();
    await dialogCloses(page);
    await page.getByRole('cell', { name: 'Build 7', exact: true }).waitFor();
    assert.ok(!(await page.content()).includes(key), 'the key has left the page');
  });

  test('says that a key may have been created if the answer is lost, or is not complete in time', async () => {
    const page = await studio.open(`${studio.game}/keys`);
    await page.getByRole('button', { name: 'Create a game key' }).click();
    await page.getByLabel('Name').fill('Build 8');
    await page.route('**/game-keys', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      await route.fetch();
      await route.abort();
    });
    await page.getByRole('button', { name: 'Create the key' }).click();
    const alert = page.getByRole('dialog').getByRole('alert');
    await alert.getByText(/^The request may have taken effect/).waitFor();
    await page.getByRole('cell', { name: 'Build 8', exact: true }).waitFor({ state: 'attached' });

    const arrived = Promise.withResolvers<void>();
    await page.route('**/game-keys', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      await route.fetch();
      arrived.resolve();
    });
    await page.clock.install();
    await page.getByRole('button', { name: 'Create the key' }).click();
    await arrived.promise;
    await page.clock.runFor(31_000);
    await alert.getByText(/^The server at .* did not answer within 30 seconds/).waitFor();
    await alert.getByText(/^The request may have taken effect/).waitFor();
    await page.context().close();
  });

  test('is not created after the connection is back, and its dialog can be closed without a connection', async () => {
    const page = await studio.open(`${studio.game}/keys`);
    await page.getByRole('button', { name: 'Create a game key' }).click();
    await page.getByLabel('Name').fill('Build 9');
    await page.context().setOffline(true);
    await page.getByText('No connection.').waitFor();
    await page.getByRole('button', { name: 'Create the key' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create a game key' });
    await dialog.getByText('The server cannot be reached').waitFor();
    await becomes(() => page.getByLabel('Name').inputValue(), 'Build 9');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Discard the changes' }).click();
    await dialogCloses(page);
    const read = page.waitForResponse('**/game-keys*');
    await page.context().setOffline(false);
    await read;
    await countBecomes(page.getByText('No connection.'), 0);
    const { rows } = await studio.app.owner.query(`SELECT FROM tenant_keys WHERE name = 'Build 9'`);
    assert.equal(rows.length, 0);
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
    await page.getByRole('button', { name: 'I saved the key' }).click();
    await dialogCloses(page);
    // Both keys have the same name.
    const called = `Old build (${rotated.slice(0, 'gh_game_'.length + 6)}…)`;
    await page.getByRole('button', { name: `Change the key ${called}` }).click();
    await page.getByRole('menuitem', { name: 'Revoke' }).click();
    await page.getByRole('dialog', { name: `Revoke ${called}` }).waitFor();
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

  test('keeps limits that another person changed while a key is edited', async () => {
    const page = await studio.open(`${studio.game}/keys`);
    // A second click, beside the dialog, does not close it.
    await page.getByRole('button', { name: 'Create an API key' }).dblclick();
    await page.getByLabel('Name').fill('Exporter');
    await page.getByRole('button', { name: 'Create the key' }).click();
    await page.getByRole('button', { name: 'I saved the key' }).click();
    await dialogCloses(page);
    await page.getByRole('button', { name: 'Change the key Exporter' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await studio.app.owner.query(
      `UPDATE tenant_keys SET allow_data_api = true, requests_per_minute = 60 WHERE name = 'Exporter'`,
    );
    await page.getByLabel('Name').fill('Exporter 2');
    await page.getByLabel('Requests per hour').fill('900');
    await page.getByRole('button', { name: 'Save the key' }).click();
    await dialogCloses(page);
    const { rows } = await studio.app.owner.query(
      `SELECT allow_data_api, requests_per_minute, requests_per_hour FROM tenant_keys WHERE name = 'Exporter 2'`,
    );
    assert.deepEqual(rows, [{ allow_data_api: true, requests_per_minute: 60, requests_per_hour: 900 }]);
  });

  test('changes the thresholds and the expiry of a key', async () => {
    const page = await studio.open(`${studio.game}/keys`);
    await page.getByRole('button', { name: 'Create a game key' }).click();
    await page.getByLabel('Name').fill('Season 1');
    await page.getByLabel('Alert above bytes per minute').fill('1048576');
    await page.getByText('1 MiB', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Create the key' }).click();
    await page.getByRole('button', { name: 'I saved the key' }).click();
    await dialogCloses(page);
    const read = async () => {
      const { rows } = await studio.app.owner.query(
        `SELECT alert_bytes_per_minute::int AS bytes, round(extract(epoch FROM expires_at - now()) / 86400)::int AS days
         FROM tenant_keys WHERE name = 'Season 1'`,
      );
      return rows[0];
    };
    assert.deepEqual(await read(), { bytes: 1_048_576, days: null });
    const edit = async (expiry: string): Promise<void> => {
      await page.getByRole('button', { name: 'Change the key Season 1' }).click();
      await page.getByRole('menuitem', { name: 'Edit' }).click();
      await page.getByRole('combobox', { name: 'Expires' }).click();
      await page.getByRole('option', { name: expiry }).click();
      await page.getByRole('button', { name: 'Save the key' }).click();
      await dialogCloses(page);
    };
    await edit('In 30 days');
    assert.deepEqual(await read(), { bytes: 1_048_576, days: 30 });
    await edit('Never');
    assert.deepEqual(await read(), { bytes: 1_048_576, days: null });
  });

  test("requires a player's token, and stops requiring it", async () => {
    const page = await studio.open(`${studio.game}/keys`);
    await page.getByRole('button', { name: 'Create an API key' }).click();
    await page.getByLabel('Allow the data API').waitFor();
    const requirement = page.getByLabel("Require a player's token");
    assert.equal(await requirement.count(), 0, 'API keys never act for a player');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await dialogCloses(page);

    await page.getByRole('button', { name: 'Create a game key' }).click();
    await page.getByLabel('Name').fill('Guarded');
    await requirement.check();
    await assertAccessible(page, 'the dialog of a game key');
    await page.getByRole('button', { name: 'Create the key' }).click();
    const gameKey = (await page.getByRole('region', { name: 'New key' }).innerText()).trim();
    await page.getByRole('button', { name: 'I saved the key' }).click();
    await dialogCloses(page);
    const isRequired = async () =>
      (await studio.app.http.get(`/api/game/matches/${randomUUID()}`, { gameKey })).status === 401;
    const row = page
      .getByRole('row')
      .filter({ has: page.getByRole('cell', { name: 'Guarded', exact: true }) });
    await row.getByRole('cell', { name: 'Required', exact: true }).waitFor();
    assert.equal(await isRequired(), true);

    await page.getByRole('button', { name: 'Change the key Guarded' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    assert.equal(await requirement.isChecked(), true);
    await requirement.uncheck();
    await page.getByRole('button', { name: 'Save the key' }).click();
    await dialogCloses(page);
    await row.getByRole('cell', { name: 'Optional', exact: true }).waitFor();
    assert.equal(await isRequired(), false);
  });

  test('lists all keys of a game that has more than a page of them', async () => {
    const many = await arrangeTenant(studio.app, { workspaceId: studio.tenant.workspaceId });
    await studio.app.owner.query(
      `INSERT INTO tenant_keys (id, tenant_id, kind, name, prefix, fingerprint, created_at)
       SELECT gen_random_uuid(), $1, 'game', 'Key ' || number, 'gk', sha256(number::text::bytea),
              now() + number * interval '1 second'
       FROM generate_series(1, 203) number`,
      [many.tenantId],
    );
    const page = await studio.open(`/games/${many.tenantId}/keys`);
    const table = page.getByRole('region', { name: 'Game keys' });
    await table.getByRole('cell', { name: 'Key 203', exact: true }).waitFor();
    await becomes(async () => {
      await table.evaluate((region) => region.scrollTo(0, region.scrollHeight));
      return table.getByRole('cell', { name: 'Key 1', exact: true }).isVisible();
    }, true);
  });

  test('shows and uses the newest key although 201 older ones are expired', async () => {
    const { tenantId } = await arrangeTenant(studio.app, { workspaceId: studio.tenant.workspaceId });
    await studio.app.owner.query(
      `INSERT INTO tenant_keys (id, tenant_id, kind, name, prefix, fingerprint, created_at, expires_at)
       SELECT gen_random_uuid(), $1, 'game', 'Key ' || number, 'gh_game_' || number, sha256(gen_random_uuid()::text::bytea),
              now() + number * interval '1 second', CASE WHEN number < 202 THEN now() END
       FROM generate_series(1, 202) number`,
      [tenantId],
    );
    const page = await studio.open(`/games/${tenantId}/events`);
    const command = page.getByRole('region', { name: 'Event: curl command' });
    await command.getByText('X-Game-Key: gh_game_202…').waitFor();
    await page.goto(`/games/${tenantId}/keys`);
    const table = page.getByRole('region', { name: 'Game keys' });
    await table.getByRole('cell', { name: 'Key 202', exact: true }).waitFor();
  });

  test('uses the newest key that requires no token of a player in a command, or else the newest one', async () => {
    const { tenantId } = await arrangeTenant(studio.app, { workspaceId: studio.tenant.workspaceId });
    await studio.app.owner.query(
      `INSERT INTO tenant_keys (id, tenant_id, kind, name, prefix, fingerprint, created_at, require_player_token)
       SELECT gen_random_uuid(), $1, 'game', 'Key ' || number, 'gh_game_' || number, sha256(gen_random_uuid()::text::bytea),
              now() + number * interval '1 second', number > 1
       FROM generate_series(1, 3) number`,
      [tenantId],
    );
    const page = await studio.open(`/games/${tenantId}/matches`);
    const command = page.getByRole('region', { name: 'Match: curl command' });
    await command.getByText('X-Game-Key: gh_game_1…').waitFor();
    await studio.app.owner.query('UPDATE tenant_keys SET require_player_token = true WHERE tenant_id = $1', [
      tenantId,
    ]);
    await page.reload();
    await command.getByText('X-Game-Key: gh_game_3…').waitFor();
  });

  test('shows the key of an alert', async () => {
    const { app, tenant } = studio;
    await app.owner.query(
      `INSERT INTO alerts (tenant_id, id, workspace_id, type, key_id, key_kind, threshold, observed, window_start, created_at)
       SELECT $1, gen_random_uuid(), $2, 'rate_spike', id, kind, 1, 2, now(), now()
       FROM tenant_keys WHERE tenant_id = $1 AND kind = 'api' LIMIT 1`,
      [tenant.tenantId, tenant.workspaceId],
    );
    const page = await studio.open(`/workspaces/${tenant.workspaceId}/alerts`);
    await page.getByRole('row', { name: 'API key' }).getByRole('link').click();
    await page.waitForURL(`**${studio.game}/keys?**`);
    const selected = page.locator('tr[data-selected]');
    await countBecomes(selected, 1);
    await selected.getByText(/^gh_api_/).waitFor();
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

  test('revokes a key whose name has two spaces, which the page shows as one', async () => {
    const page = await studio.open(`${studio.game}/keys`, { locale: 'de-DE' });
    await page.getByRole('button', { name: 'Create a game key' }).click();
    await page.getByLabel('Name').fill('Wide  name');
    // Two ways to write the same number.
    await page.getByLabel('Requests per minute', { exact: true }).pressSequentially('1.000');
    await page.getByLabel('Requests per hour').fill('2.000');
    await page.getByRole('button', { name: 'Create the key' }).click();
    await page.getByRole('button', { name: 'I saved the key' }).click();
    await dialogCloses(page);
    const { rows } = await studio.app.owner.query(
      `SELECT requests_per_minute, requests_per_hour FROM tenant_keys WHERE name LIKE 'Wide%'`,
    );
    assert.deepEqual(rows, [{ requests_per_minute: 1_000, requests_per_hour: 2_000 }]);
    await page.getByRole('row', { name: /Wide/ }).getByText('1,000').waitFor();
    await page.getByRole('button', { name: /^Change the key Wide/ }).click();
    await page.getByRole('menuitem', { name: 'Revoke' }).click();
    await page.getByRole('textbox', { name: /to confirm$/ }).fill('Wide name');
    await page.getByRole('button', { name: 'Revoke the key' }).click();
    await dialogCloses(page);
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

describe('paid keys of other workspaces', () => {
  const usage = `/workspaces/${studio.tenant.workspaceId}/usage`;

  /** Creates a key of another workspace, for which an admin of both workspaces has agreed to pay. */
  async function arrangePaidKey(name: string) {
    const publisher = await arrangeTenant(studio.app);
    const agent = await arrangeAccount(studio.app, studio.tenant, 'admin');
    await studio.app.owner.query(
      `INSERT INTO memberships (workspace_id, account_id, role) VALUES ($1, $2, 'admin')`,
      [publisher.workspaceId, agent.accountId],
    );
    const created = await studio.app.http.post(
      `/api/bus_tenants/${publisher.tenantId}/api-keys`,
      { name, subscriberWorkspaceId: studio.tenant.workspaceId },
      agent,
    );
    assert.equal(created.status, 201, created.text);
    const { rows } = await studio.app.owner.query('SELECT email FROM accounts WHERE id = $1', [
      agent.accountId,
    ]);
    return { id: created.body.id as string, agreedBy: rows[0].email as string };
  }

  test('open from a notification, and are no longer paid after a confirmation', async () => {
    const page = await studio.open(studio.game);
    const { id, agreedBy } = await arrangePaidKey('Statistics');
    await page.getByRole('button', { name: 'Notifications: 1 unread' }).click();
    await page.getByRole('button', { name: /^Your workspace pays for an API key/ }).click();
    await page.waitForURL(`**${usage}`);
    const table = page.getByRole('region', { name: 'Paid keys' });
    await table
      .getByRole('row', { name: /Statistics/ })
      .getByText(agreedBy)
      .waitFor();

    const stop = page.getByRole('button', { name: 'Stop paying for Statistics' });
    const dialog = page.getByRole('dialog', { name: 'Stop paying for Statistics' });
    await stop.click();
    await assertAccessible(page, 'the question');
    await page.route(`**/paid-keys/${id}`, (route) => route.abort());
    await dialog.getByRole('button', { name: 'Stop paying' }).click();
    await dialog
      .getByRole('alert')
      .getByText(/^The server cannot be reached/)
      .waitFor();
    await page.unroute(`**/paid-keys/${id}`);
    await dialog.getByRole('button', { name: 'Stop paying' }).click();
    await dialogCloses(page);
    await page.getByRole('heading', { name: 'No paid keys' }).waitFor();
    const { rows } = await studio.app.owner.query(
      'SELECT subscriber_workspace_id AS payer FROM tenant_keys WHERE id = $1',
      [id],
    );
    assert.deepEqual(rows, [{ payer: null }]);
  });

  test('have no rows of days while the usage by key loads', async () => {
    const page = await studio.open(usage);
    const table = page.getByRole('region', { name: 'Usage', exact: true });
    await table.getByRole('cell', { name: new Date().toISOString().slice(0, 10) }).waitFor();
    const { promise: answer, resolve: answers } = Promise.withResolvers<void>();
    await page.route('**/usage?groupBy=key*', async (route) => {
      await answer;
      await route.continue();
    });
    await page.getByText('By key', { exact: true }).click();
    await table.getByRole('columnheader', { name: 'Key' }).waitFor();
    await countBecomes(table.getByText('API key'), 0);
    answers();
  });

  test('are shown to a viewer without any action, even in the usage by key', async () => {
    const { id } = await arrangePaidKey('Leaderboard');
    await studio.app.owner.query(
      `INSERT INTO usage_entries (workspace_id, tenant_id, key_id, units)
       SELECT $1, tenant_id, id, 7 FROM tenant_keys WHERE id = $2`,
      [studio.tenant.workspaceId, id],
    );
    const page = await studio.open(`${usage}?groupBy=key`, {
      role: 'viewer',
      viewport: { width: 360, height: 740 },
      colorScheme: 'dark',
    });
    await page.getByRole('region', { name: 'Paid keys' }).getByText('Leaderboard').waitFor();
    await page
      .getByRole('region', { name: 'Usage' })
      .getByRole('row', { name: /^Leaderboard/ })
      .waitFor();
    await countBecomes(page.getByRole('button', { name: /^Stop paying/ }), 0);
    await assertAccessible(page, 'paid keys, narrow and dark');
  });

  test('can be loaded again after an error, while the rest of the page is usable', async () => {
    await arrangePaidKey('Wiki');
    const page = await studio.open(studio.game);
    const refuse = {
      status: 500,
      contentType: 'application/problem+json',
      body: '{"code":"internal_error"}',
    };
    await page.route('**/paid-keys?*', (route) => route.fulfill(refuse));
    await page.goto(usage);
    await page.getByRole('alert').getByRole('heading', { name: 'Paid keys could not be loaded' }).waitFor();
    await page.getByText('The plan “default” has no limit.').waitFor();
    await page.unroute('**/paid-keys?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('region', { name: 'Paid keys' }).getByText('Wiki').waitFor();
  });
});

describe('a disabled game', () => {
  test('is marked on its pages, at its keys and in the menu of games', async () => {
    const { app, tenant } = studio;
    const disabled = await arrangeTenant(app, { workspaceId: tenant.workspaceId });
    await app.owner.query(`UPDATE tenants SET name = 'Undertow', disabled_at = now() WHERE id = $1`, [
      disabled.tenantId,
    ]);
    await app.owner.query(`UPDATE tenant_keys SET revoked_at = now() WHERE tenant_id = $1 AND kind = 'api'`, [
      disabled.tenantId,
    ]);
    const page = await studio.open(`/games/${disabled.tenantId}/keys?revoked=true`);
    const stateOf = (title: string) =>
      page.getByRole('heading', { level: 1, name: title }).locator('..').getByText('Game disabled');
    await stateOf('Keys').waitFor();
    const keys = (kind: string) => page.getByRole('region', { name: kind, exact: true });
    await keys('Game keys').getByRole('cell', { name: 'Game disabled' }).waitFor();
    await keys('API keys').getByRole('cell', { name: 'Revoked' }).waitFor();
    // In a window of 1280 px both tables show all columns, and the whole state.
    const hidden = (element: Locator) =>
      element.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    await becomes(() => hidden(keys('API keys')), 0);
    await app.owner.query('UPDATE tenant_keys SET revoked_at = NULL WHERE tenant_id = $1', [
      disabled.tenantId,
    ]);
    await page.reload();
    await becomes(() => hidden(keys('API keys').getByRole('cell', { name: 'Game disabled' })), 0);
    await page.getByRole('link', { name: 'Players', exact: true }).click();
    await stateOf('Players').waitFor();
    await assertAccessible(page, 'a page of a disabled game');

    await page.getByRole('button', { name: 'Game: Undertow' }).click();
    await page.getByRole('menuitem', { name: 'Undertow Disabled' }).waitFor();
    await page.getByRole('menuitem', { name: 'Tidewater', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await countBecomes(stateOf('Overview'), 0);
  });
});

describe('the workspace that pays for the reads of an API key', () => {
  /** Gives the owner of the studio a role in another workspace. */
  async function arrangeWorkspace(name: string, role: 'admin' | 'viewer') {
    const { workspaceId } = await arrangeTenant(studio.app);
    await studio.app.owner.query('UPDATE workspaces SET name = $2 WHERE id = $1', [workspaceId, name]);
    await studio.app.owner.query(
      `INSERT INTO memberships (workspace_id, account_id, role)
       SELECT $1, id, $3 FROM accounts WHERE email = $2`,
      [workspaceId, studio.owner.email, role],
    );
    return workspaceId;
  }
  const payerOf = async (name: string) => {
    const { rows } = await studio.app.owner.query(
      'SELECT subscriber_workspace_id AS payer FROM tenant_keys WHERE name = $1',
      [name],
    );
    return rows[0]?.payer;
  };

  test('is chosen when a key is created or changed, and shown in the list', async () => {
    const publisher = await arrangeWorkspace('Lighthouse Publishing', 'admin');
    await arrangeWorkspace('Only watched', 'viewer');
    const page = await studio.open(`${studio.game}/keys`);
    await page.getByRole('button', { name: 'Create an API key' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create an API key' });
    await dialog.getByLabel('Name').fill('Market research');
    const payer = dialog.getByRole('combobox', { name: 'Workspace that pays for the reads' });
    await payer.click();
    await page.getByRole('option', { name: 'Lighthouse Publishing' }).waitFor();
    assert.deepEqual(await page.getByRole('option').allInnerTexts(), [
      'The workspace of this game',
      'Lighthouse Publishing',
    ]);
    await page.getByRole('option', { name: 'Lighthouse Publishing' }).click();
    await assertAccessible(page, 'the form of an API key');
    await dialog.getByRole('button', { name: 'Create the key' }).click();
    await page.getByRole('button', { name: 'I saved the key' }).click();
    await dialogCloses(page);
    assert.equal(await payerOf('Market research'), publisher);
    const table = page.getByRole('region', { name: 'API keys' });
    const row = table.getByRole('row', { name: /^Market research/ });
    await row.getByRole('cell', { name: 'Lighthouse Publishing' }).waitFor();
    await table.getByRole('row', { name: /^test/ }).getByRole('cell', { name: 'This workspace' }).waitFor();

    await row.getByRole('button', { name: 'Change the key Market research' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await page.getByRole('combobox', { name: 'Workspace that pays for the reads' }).click();
    await page.getByRole('option', { name: 'The workspace of this game' }).click();
    await page.getByRole('button', { name: 'Save the key' }).click();
    await dialogCloses(page);
    await row.getByRole('cell', { name: 'This workspace' }).waitFor();
    assert.equal(await payerOf('Market research'), null);
  });

  test('shows at the field why the server refuses it, and keeps the choice', async () => {
    const lost = await arrangeWorkspace('Lost role', 'admin');
    const page = await studio.open(`${studio.game}/keys`);
    await page.getByRole('button', { name: 'Create an API key' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create an API key' });
    await dialog.getByLabel('Name').fill('Refused');
    const payer = dialog.getByRole('combobox', { name: 'Workspace that pays for the reads' });
    await payer.click();
    await page.getByRole('option', { name: 'Lost role' }).click();
    await studio.app.owner.query(`UPDATE memberships SET role = 'viewer' WHERE workspace_id = $1`, [lost]);
    await dialog.getByRole('button', { name: 'Create the key' }).click();
    await becomes(() => payer.getAttribute('aria-invalid'), 'true');
    const described = (await payer.getAttribute('aria-describedby'))!.trim().split(/\s+/);
    const texts = await Promise.all(described.map((id) => page.locator(`[id="${id}"]`).innerText()));
    assert.ok(
      texts.includes('Only an owner or admin of the paying workspace may name it as payer.'),
      texts.join(' | '),
    );
    assert.equal(await payer.inputValue(), 'Lost role');
    await assertAccessible(page, 'a refused payer');

    // What is not a whole number is neither changed nor sent.
    const perMinute = dialog.getByLabel('Requests per minute', { exact: true });
    for (const text of ['-5', '1.5', '1e3']) {
      await perMinute.fill(text);
      await dialog.getByRole('button', { name: 'Create the key' }).click();
      await dialog.getByText('Enter a whole number.').waitFor();
      await becomes(() => perMinute.inputValue(), text);
    }
    await perMinute.fill('1.000');
    await dialog.getByLabel('Name').focus();
    await becomes(() => perMinute.inputValue(), '1,000');

    // A limit above the plan is refused at its field too.
    await payer.click();
    await page.getByRole('option', { name: 'The workspace of this game' }).click();
    await dialog.getByLabel('Requests per hour').fill('2000000000');
    await dialog.getByRole('button', { name: 'Create the key' }).click();
    await dialog.getByText('Enter 2,000,000 or less, the limit of the plan.').waitFor();
    await becomes(
      () => dialog.getByLabel('Requests per hour').evaluate((field) => field === document.activeElement),
      true,
    );
    await countBecomes(dialog.getByText('is not valid'), 0);
    await countBecomes(dialog.getByRole('alert'), 0);
    assert.equal(await payerOf('Refused'), undefined);
  });

  test('is called another workspace if the reader is not a member, and stays when the key is edited', async () => {
    const other = await arrangeTenant(studio.app);
    await studio.app.owner.query(
      `UPDATE tenant_keys SET subscriber_workspace_id = $1, subscriber_agreement_id = id, subscriber_agreed_at = now(),
         subscriber_agreed_by = (SELECT id FROM accounts WHERE email = $3)
       WHERE tenant_id = $2 AND kind = 'api' AND name = 'test'`,
      [other.workspaceId, studio.tenant.tenantId, studio.owner.email],
    );
    const page = await studio.open(`${studio.game}/keys`, { viewport: { width: 390, height: 800 } });
    const table = page.getByRole('region', { name: 'API keys' });
    await table.getByRole('cell', { name: 'Another workspace' }).waitFor();
    await table.getByRole('button', { name: 'Change the key test' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const payer = page.getByRole('combobox', { name: 'Workspace that pays for the reads' });
    await becomes(() => payer.inputValue(), 'Another workspace');
    await page.getByLabel('Name').fill('Renamed');
    await page.getByRole('button', { name: 'Save the key' }).click();
    await dialogCloses(page);
    assert.equal(await payerOf('Renamed'), other.workspaceId);
  });
});
