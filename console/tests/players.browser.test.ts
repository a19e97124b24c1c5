import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import type { Request } from 'playwright-core';
import { arrangeAccount, arrangePlayer } from '../../server/src/testing/arrange.ts';
import { uploadAvatar } from '../../server/src/testing/avatars.ts';
import { assertAccessible, becomes, countBecomes, dialogCloses, EXACT_TIME, startStudio } from './browser.ts';

const studio = await startStudio();
const ada = await arrangePlayer(studio.app, studio.tenant, 'ada');
const ben = await arrangePlayer(studio.app, studio.tenant, 'ben');
const cyd = await arrangePlayer(studio.app, studio.tenant, 'cyd');
for (const [player, name] of [
  [ada, 'Ada Lovelace'],
  [ben, 'Ben Bitdiddle'],
  [cyd, 'Cyd Sensor'],
] as const)
  await studio.app.owner.query('UPDATE players SET display_name = $2 WHERE id = $1', [player.playerId, name]);

/** Inserts many players into the list of the game. */
async function addPlayers(count: number): Promise<void> {
  await studio.app.owner.query(
    `WITH player AS (
       INSERT INTO players (id, display_name, created_at)
       SELECT gen_random_uuid(), 'Crowd ' || number, now() - interval '1 day' FROM generate_series(1, $2::int) number
       RETURNING id, search_name)
     INSERT INTO tenant_access (tenant_id, player_id, search_name, first_seen_at, last_seen_at)
     SELECT $1, id, search_name, now() - interval '1 day', now() - interval '1 day' FROM player`,
    [studio.tenant.tenantId, count],
  );
  await studio.app.owner.query(
    'INSERT INTO tenant_player_counts (tenant_id, shard, players) VALUES ($1, 99, $2)',
    [studio.tenant.tenantId, count],
  );
}

describe('players', () => {
  test('shows the exact time and the whole id on hover, and copies the id', async () => {
    const page = await studio.open(`${studio.game}/players/${ada.playerId}`, {
      permissions: ['clipboard-write'],
    });
    const tip = page.getByRole('tooltip');
    await page.locator('time').first().hover();
    await tip.filter({ hasText: EXACT_TIME }).waitFor();
    const id = page.getByRole('button', { name: `${ada.playerId}: copy` });
    await id.hover();
    await tip.filter({ hasText: ada.playerId }).waitFor();
    await id.click();
    await page.getByRole('button', { name: `${ada.playerId}: copied` }).waitFor();
    await tip.waitFor({ state: 'detached' });
  });

  test('shows the exact time after a tap, until the next one', async () => {
    const page = await studio.open(`${studio.game}/players/${ada.playerId}`, { hasTouch: true });
    const tip = page.getByRole('tooltip');
    await page.locator('time').first().tap();
    await tip.filter({ hasText: EXACT_TIME }).waitFor();
    await page.getByRole('heading', { level: 1 }).tap();
    await tip.waitFor({ state: 'detached' });
    await page.locator('td > time').first().tap();
    await tip.filter({ hasText: EXACT_TIME }).waitFor();
  });

  test('shows what a filter is about, with and without a value', async () => {
    const page = await studio.open(`${studio.game}/players`);
    const filter = page.getByRole('combobox', { name: 'Provider' });
    const label = page.locator('label', { hasText: /^Provider$/ });
    const opacity = () => label.evaluate((element) => getComputedStyle(element).opacity);
    assert.equal(await filter.getAttribute('placeholder'), 'Provider');
    assert.equal(await opacity(), '0');
    await filter.click();
    await page.getByRole('option', { name: 'Mock' }).click();
    await becomes(opacity, '1');
  });

  test('says that an id is not copied if the browser forbids it', async () => {
    const page = await studio.open(`${studio.game}/players/${ada.playerId}`);
    const browser = await page.context().newCDPSession(page);
    const { targetInfo } = await browser.send('Target.getTargetInfo');
    await browser.send('Browser.setPermission', {
      permission: { name: 'clipboard-write' },
      setting: 'denied',
      browserContextId: targetInfo.browserContextId!,
    });
    await page.getByRole('button', { name: `${ada.playerId}: copy` }).click();
    await page.getByRole('button', { name: `${ada.playerId}: not copied` }).waitFor();
    // The context keeps the permission.
    await page.context().close();
  });

  test('does not replace what the reader copies after a page without TLS could not copy an id', async () => {
    const page = await studio.open(`${studio.game}/players/${ada.playerId}`);
    await page.evaluate(() => {
      Object.defineProperty(navigator, 'clipboard', { value: undefined });
      document.execCommand = () => false;
    });
    await page.getByRole('button', { name: `${ada.playerId}: copy` }).click();
    await page.getByRole('button', { name: `${ada.playerId}: not copied` }).waitFor();
    const isReplaced = await page.evaluate(
      () => !document.dispatchEvent(new ClipboardEvent('copy', { cancelable: true })),
    );
    assert.equal(isReplaced, false);
  });

  test('requests the rows when the pointer is over the link of the page', async () => {
    const page = await studio.open(studio.game);
    const rows = page.waitForRequest('**/players?limit=100&**');
    await page.getByRole('link', { name: 'Players', exact: true }).hover();
    await rows;
    assert.equal(new URL(page.url()).pathname, studio.game);
  });

  test('shows the days of the server in the charts, west of UTC too', async () => {
    const day = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' });
    // If a new day begins meanwhile, the chart has both.
    const today = day.format(Date.now());
    const page = await studio.open(`${studio.game}?range=30d`, { timezoneId: 'America/Los_Angeles' });
    await page.getByRole('button', { name: 'View as table: Sign-ins per day' }).click();
    await page
      .getByRole('region', { name: 'Sign-ins per day' })
      .getByRole('rowheader', { name: new RegExp(`^${today}( · so far)?$`) })
      .waitFor();
  });

  test('keeps the zoom of a chart when its data change, until the reader resets it', async () => {
    const page = await studio.open(studio.game);
    const chart = page.getByRole('img', { name: /^Events per minute/ });
    const plot = (await chart.locator('.u-over').boundingBox())!;
    const pointAt = (part: number) => page.mouse.move(plot.x + plot.width * part, plot.y + plot.height / 2);
    const legend = chart.locator('.u-legend .u-value').first();
    /** The time at the left end of the chart. */
    const firstTime = async (): Promise<string> => {
      await pointAt(0.5);
      await pointAt(0.01);
      return legend.innerText();
    };
    const drag = async (from: number, to: number) => {
      await pointAt(from);
      await page.mouse.down();
      await pointAt(to);
      await page.mouse.up();
    };
    /** The minutes from the left end of the chart to that of the whole time. */
    const minutesAfter = (time: string): number =>
      (Date.parse(time.replaceAll(/\s/g, ' ')) - Date.parse(whole.replaceAll(/\s/g, ' '))) / 60_000;
    const whole = await firstTime();
    // Half a minute is too short for a zoom. Meanwhile a new minute may begin.
    await drag(0.5, 0.51);
    assert.ok(minutesAfter(await firstTime()) < 5);
    await drag(0.5, 0.9);
    const reset = page.getByRole('button', { name: 'Reset the zoom: Events per minute' });
    await reset.waitFor();
    const zoomed = await firstTime();
    assert.ok(minutesAfter(zoomed) > 20);
    await page.route('**/events/summary?*', async (route) => {
      const response = await route.fetch();
      const answer = await response.json();
      const bucketStart = new Date(Math.floor(Date.now() / 60_000) * 60_000).toISOString();
      await route.fulfill({ response, json: { ...answer, items: [{ bucketStart, count: 7 }] } });
    });
    await page.getByRole('img', { name: /^Events per minute: .*to 7/ }).waitFor();
    assert.equal(await firstTime(), zoomed);
    await reset.click();
    await reset.waitFor({ state: 'detached' });
    assert.ok(minutesAfter(await firstTime()) < 5);
  });

  test('says that the connection is lost, and continues when it is back', async () => {
    const page = await studio.open(`${studio.game}/players`);
    await page.getByRole('link', { name: 'Ben Bitdiddle' }).waitFor();
    await page.context().setOffline(true);
    await page.getByText('No connection.').waitFor();
    await assertAccessible(page, 'without a connection');
    await page.getByRole('searchbox').fill('Ada');
    await page.waitForURL('**/players?search=Ada');
    await page.context().setOffline(false);
    await page.getByText('1 player matches the filters').waitFor();
    await countBecomes(page.getByText('No connection.'), 0);
  });

  test('finds a player while the name is typed, and keeps the search in the URL', async () => {
    const page = await studio.open(`${studio.game}/players`);
    await page.getByRole('link', { name: 'Ben Bitdiddle' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('Ada');
    await page.waitForURL('**/players?search=Ada');
    await page.getByText('1 player matches the filters').waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor();
    await countBecomes(page.getByRole('link', { name: 'Ben Bitdiddle' }), 0);
  });

  test('names filters, opens them again, and keeps them for this account and game', async () => {
    const page = await studio.open(`${studio.game}/players?search=Ben&sort=displayName`);
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByLabel('Name of the view').fill('Only Ben');
    await assertAccessible(page, 'views');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.goto(`${studio.game}/players`);
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('button', { name: 'Only Ben', exact: true }).click();
    await page.waitForURL('**/players?search=Ben&sort=displayName');
    await page.getByText('1 player matches the filters').waitFor();

    const stored = await page.evaluate(() =>
      Object.keys(localStorage).filter((key) => key.includes('views')),
    );
    assert.equal(stored.length, 1);
    assert.match(stored[0]!, new RegExp(studio.tenant.tenantId));
    await page.evaluate(
      (key) => localStorage.setItem(key, '[{"name":1},{"name":"x","search":{"a":2}}]'),
      stored[0]!,
    );
    await page.reload();
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByLabel('Name of the view').fill('Again');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Delete the view Again' }).click();
    await becomes(() => page.evaluate((key) => localStorage.getItem(key), stored[0]!), null);
  });

  test('never shows the late answer of an older search', async () => {
    const page = await studio.open(`${studio.game}/players`);
    let release = (): void => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/players?**search=Ada**', async (route) => {
      await released;
      await route.continue().catch(() => {});
    });
    const isSlow = (request: Request) => request.url().includes('search=Ada');
    const search = page.getByRole('searchbox');
    const slow = page.waitForRequest('**/players?**search=Ada**');
    const ended = Promise.race([
      page.waitForEvent('requestfinished', isSlow),
      page.waitForEvent('requestfailed', isSlow),
    ]);
    await search.fill('Ada');
    await slow;
    await search.fill('Ben');
    await page.getByText('1 player matches the filters').waitFor();
    release();
    await ended;
    const links = page.getByRole('link', { name: /Lovelace|Bitdiddle/ });
    await becomes(() => links.allInnerTexts(), ['Ben Bitdiddle']);
  });

  test('shows what to do when no player matches, and when the server fails', async () => {
    const page = await studio.open(`${studio.game}/players?search=nobody`);
    await page.getByRole('heading', { name: 'No player matches' }).waitFor();
    await page.getByRole('button', { name: 'Remove the filters' }).click();
    await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor();

    await page.route('**/api/bus_tenants/*/players?**', (route) =>
      route.fulfill({
        status: 500,
        contentType: 'application/problem+json',
        body: JSON.stringify({
          code: 'internal_error',
          detail: 'The server failed.',
          requestId: 'request-1',
          status: 500,
        }),
      }),
    );
    await page.goto(`${studio.game}/players?search=x`);
    const alert = page.getByRole('alert');
    await alert.waitFor();
    await alert.getByText('could not be loaded').waitFor();
    await alert.getByText('request-1').waitFor();
    await assertAccessible(page, 'players that could not be loaded');
    await page.unroute('**/api/bus_tenants/*/players?**');
    await alert.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'No player matches' }).waitFor();

    // While the list without a filter loads, the page does not say that it is empty, and the search keeps the focus.
    const { promise: answer, resolve: answers } = Promise.withResolvers<void>();
    await page.route('**/api/bus_tenants/*/players?**', async (route) => {
      await answer;
      await route.continue();
    });
    const search = page.getByRole('searchbox');
    await search.fill('');
    await page.getByRole('heading', { name: 'No player matches' }).waitFor({ state: 'detached' });
    await countBecomes(page.getByRole('heading', { name: 'No players yet' }), 0);
    answers();
    await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor();
    assert.ok(await search.evaluate((element) => element === document.activeElement));
  });

  test('bans a player with a reason, lifts the ban and hides the player', async () => {
    const page = await studio.open(`${studio.game}/players/${cyd.playerId}`);
    await page.getByRole('heading', { name: 'Cyd Sensor' }).waitFor();
    await assertAccessible(page, 'player');
    await page.getByRole('tab', { name: 'Audit' }).click();
    await page.getByText('Nobody has changed anything about this player.').waitFor();
    await page.getByRole('button', { name: 'Ban', exact: true }).click();
    await page.getByLabel('Reason').fill('Aim bot');
    await page.getByRole('textbox', { name: 'Note', exact: true }).fill('Seen twice.\nSee ticket 42.');
    await page.getByRole('button', { name: 'Ban the player' }).click();
    await page.getByText('Banned', { exact: true }).first().waitFor();
    await page.getByText('Banned a player').waitFor();
    const ban = page
      .locator('section')
      .filter({ has: page.getByRole('heading', { name: 'Ban', exact: true }) });
    await ban.getByText(studio.owner.email).waitFor();
    await ban.getByText('in 7 days').waitFor();
    await ban.getByText('Reason: Aim bot').waitFor();
    assert.equal(await ban.getByText('Note:').innerText(), 'Note: Seen twice.\nSee ticket 42.');
    const { rows } = await studio.app.owner.query('SELECT reason FROM player_bans WHERE player_id = $1', [
      cyd.playerId,
    ]);
    assert.deepEqual(rows, [{ reason: 'Aim bot' }]);

    await page.getByRole('tab', { name: /^Sessions/ }).click();
    await page.getByRole('cell', { name: 'Banned', exact: true }).waitFor();
    await page.getByRole('tab', { name: /^Bans/ }).click();
    await page.getByRole('cell', { name: 'Aim bot' }).waitFor();
    await page.getByRole('cell', { name: studio.owner.email }).waitFor();
    await page.getByRole('button', { name: 'Lift the ban' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Lift the ban' }).click();
    await dialogCloses(page);
    await page.getByText('Active', { exact: true }).waitFor();

    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Hide from discovery' }).click();
    await page.getByText('Hidden', { exact: true }).first().waitFor();
    await page.getByRole('tab', { name: 'Audit' }).click();
    await page.getByText('Banned a player').first().waitFor();
  });

  test('changes the role in the game, and shows why the server refuses one', async () => {
    const page = await studio.open(`${studio.game}/players/${cyd.playerId}`);
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Change role' }).click();
    const role = page.getByRole('dialog').getByLabel('Role in the game');
    assert.equal(await role.inputValue(), 'player');
    await role.fill(' ');
    await page.getByRole('button', { name: 'Change the role' }).click();
    await page.getByRole('dialog').getByText('Enter a value.').waitFor();
    await assertAccessible(page, 'the dialog of the role');
    await role.fill('referee');
    await page.getByRole('button', { name: 'Change the role' }).click();
    await dialogCloses(page);
    await page.getByText('Referee', { exact: true }).waitFor();
  });

  test('shows the whole text of a cell on hover if it is cut off', async () => {
    const page = await studio.open(`${studio.game}/players/${cyd.playerId}`);
    const reason = `Aim bot, ${'reported by many players, '.repeat(6)}and seen in a replay`;
    await page.getByRole('button', { name: 'Ban', exact: true }).click();
    await page.getByLabel('Reason').fill(reason);
    await page.getByRole('button', { name: 'Ban the player' }).click();
    await page.getByRole('tab', { name: /^Bans/ }).click();
    await page.getByRole('cell', { name: reason }).hover();
    await page.getByRole('tooltip').getByText(reason).waitFor();
    await page.getByRole('row', { name: reason }).locator('time').first().hover();
    await page.getByRole('tooltip').filter({ hasText: EXACT_TIME }).waitFor();
  });

  test('offers no player of an earlier search in the command palette', async () => {
    const page = await studio.open(`${studio.game}/players`);
    await page.getByRole('link', { name: 'Ben Bitdiddle' }).waitFor();
    await page.keyboard.press('Control+k');
    const input = page.getByRole('combobox', { name: 'Go to a page, a game, a player or a match' });
    await input.fill('Ada');
    await page.getByRole('option', { name: 'Ada Lovelace' }).waitFor();
    let release = (): void => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/players?**search=Ben**', async (route) => {
      await released;
      await route.continue();
    });
    await input.fill('Ben');
    await page.getByText('Searching…').waitFor();
    await countBecomes(page.getByRole('option', { name: 'Ada Lovelace' }), 0);
    release();
    await page.getByRole('option', { name: 'Ben Bitdiddle' }).waitFor();
    await input.fill('Bitdiddle');
    await page.getByText('Games are found by their name, players and matches by their id').waitFor();
  });

  test('shows a change of one tab in another tab', async () => {
    const page = await studio.open(`${studio.game}/players?search=Cyd`);
    const other = await page.context().newPage();
    await other.goto(`${studio.game}/players/${cyd.playerId}`);
    await page.getByRole('cell', { name: 'Banned' }).waitFor();
    await other.getByRole('button', { name: 'Lift the ban' }).click();
    await other.getByRole('dialog').getByRole('button', { name: 'Lift the ban' }).click();
    await other.getByRole('button', { name: 'Ban', exact: true }).waitFor();
    await page.getByRole('link', { name: 'Matches', exact: true }).click();
    await page.getByRole('heading', { name: 'Matches', exact: true }).waitFor();
    await page.goBack();
    await page.getByRole('cell', { name: 'Hidden' }).waitFor();
  });

  test('shows an uploaded avatar, and only the host of one of another server', async () => {
    const { app, game } = studio;
    const setAvatar = (url: string) =>
      app.owner.query('UPDATE players SET avatar_url = $2 WHERE id = $1', [ada.playerId, url]);
    const { avatarUrl } = (await uploadAvatar(app, ada.accessToken)).body;
    // The browser opens another address than the public one of a test server.
    await setAvatar(new URL(new URL(avatarUrl!).pathname, app.url).href);
    const page = await studio.open(`${game}/players/${ada.playerId}`);
    const image = page.getByRole('img', { name: 'Avatar of Ada Lovelace' });
    await becomes(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth), 9);
    const { width, height } = (await image.boundingBox())!;
    assert.deepEqual([width, height], [48, 48]);
    await assertAccessible(page, 'a player with an avatar');

    await setAvatar('https://images.example/ada.png');
    const origins = new Set<string>();
    page.on('request', (request) => origins.add(new URL(request.url()).origin));
    await page.reload();
    const link = page.getByRole('link', { name: 'images.example' });
    await link.waitFor();
    assert.deepEqual(
      [await link.getAttribute('href'), await link.getAttribute('rel')],
      ['https://images.example/ada.png', 'noreferrer'],
    );
    await countBecomes(image, 0);
    await assertAccessible(page, 'a player with an avatar of another server');
    assert.deepEqual([...origins], [app.url]);
  });

  test('ends all sessions of a player', async () => {
    const page = await studio.open(`${studio.game}/players/${ben.playerId}`);
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'End all sessions' }).click();
    await page.getByText('Ends 1 session in this game, expired ones too.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'End all sessions' }).click();
    await page.getByRole('cell', { name: 'Kicked', exact: true }).waitFor();
  });

  // A ban ends the sessions too, so this test follows the previous one.
  test('bans a player until a time in the zone of the browser, and refuses a time before now', async () => {
    const page = await studio.open(`${studio.game}/players/${ben.playerId}`, {
      timezoneId: 'Asia/Kathmandu',
    });
    await page.getByRole('button', { name: 'Ban', exact: true }).click();
    await page.getByText('Until a time', { exact: true }).click();
    const end = page.getByLabel('End of the ban');
    await end.fill('2020-01-31T18:00');
    await page.getByRole('button', { name: 'Ban the player' }).click();
    await page.getByText('Enter a time after now.').waitFor();
    await assertAccessible(page, 'a ban until a time');
    await end.fill('2099-01-31T18:00');
    await page.getByRole('button', { name: 'Ban the player' }).click();
    await page.getByText('Ends', { exact: true }).waitFor();
    const { rows } = await studio.app.owner.query(
      'SELECT until FROM player_bans WHERE player_id = $1 AND lifted_at IS NULL',
      [ben.playerId],
    );
    assert.equal(rows[0].until.toISOString(), '2099-01-31T12:15:00.000Z');
    await page.getByRole('button', { name: 'Lift the ban' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Lift the ban' }).click();
    await dialogCloses(page);

    // The clock of the computer is 3 days behind. The field that the server refuses is not on the page.
    await page.clock.setFixedTime(Date.now() - 3 * 86_400_000);
    await page.getByRole('button', { name: 'Ban', exact: true }).click();
    await page.getByText('1 day', { exact: true }).click();
    await page.getByRole('button', { name: 'Ban the player' }).click();
    await page
      .getByRole('dialog')
      .getByRole('alert')
      .getByText(/until must be in the future/)
      .waitFor();
    await page.context().close();
  });

  test('exports what the game has about a player', async () => {
    const page = await studio.open(`${studio.game}/players/${ada.playerId}`);
    await page.getByRole('button', { name: 'More' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Export the data' }).click(),
    ]);
    assert.equal(download.suggestedFilename(), `player-${ada.playerId}.json`);
    const data = JSON.parse(await readFile(await download.path(), 'utf8'));
    assert.deepEqual([data.player.displayName, data.logins.length], ['Ada Lovelace', 1]);
  });

  test('offers a viewer only actions that a viewer may do', async () => {
    const page = await studio.open(`${studio.game}/players/${ada.playerId}`, { role: 'viewer' });
    await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
    await countBecomes(page.getByRole('button', { name: 'Ban', exact: true }), 0);
    await countBecomes(page.getByRole('button', { name: 'More' }), 0);
  });

  test('lists the matches of a player, and opens one', async () => {
    const { status, body } = await studio.app.http.post(
      '/api/game/matches',
      { players: [{ playerId: ada.playerId }], mode: 'regatta' },
      { gameKey: studio.tenant.gameKey },
    );
    assert.equal(status, 201);
    const page = await studio.open(`${studio.game}/players/${ada.playerId}?tab=matches`);
    await page
      .getByRole('row', { name: /regatta/ })
      .getByRole('link')
      .click();
    await page.waitForURL(`**/matches/${body.matchSessionId}`);
    await page.goto(`${studio.game}/players/${ben.playerId}?tab=matches`);
    await page.getByText('This player was in no match of this game.').waitFor();
  });

  test('goes back to the tab before', async () => {
    const page = await studio.open(`${studio.game}/players/${ben.playerId}?tab=bans`);
    for (const tab of ['Devices', 'Notes']) await page.getByRole('tab', { name: tab }).click();
    await page.goBack();
    await page.getByRole('tab', { name: 'Devices', selected: true }).waitFor();
    await page.goBack();
    await page.waitForURL('**?tab=bans');
  });

  test('has the tab of the address in view on a phone', async () => {
    const page = await studio.open(`${studio.game}/players/${ada.playerId}?tab=audit`, {
      viewport: { width: 390, height: 800 },
    });
    const tab = page.getByRole('tab', { name: 'Audit', selected: true });
    const endsInView = async () => {
      const { x, width } = (await tab.boundingBox())!;
      return x + width <= 390;
    };
    await becomes(endsInView, true);
  });

  test('offers all durations of a ban on a phone', async () => {
    const page = await studio.open(`${studio.game}/players/${ada.playerId}`, {
      viewport: { width: 360, height: 740 },
    });
    await page.getByRole('button', { name: 'Ban', exact: true }).click();
    const durations = page.getByRole('radiogroup', { name: 'Duration' });
    // The control cuts off what is wider.
    await becomes(() => durations.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth), 0);
  });

  test('shows a match whose metadata has an integer that a JavaScript number rounds', async () => {
    const { status, body } = await studio.app.http.post(
      '/api/game/matches',
      { players: [{ playerId: ada.playerId }], metadata: { seed: 2 ** 60 } },
      { gameKey: studio.tenant.gameKey },
    );
    assert.equal(status, 201);
    const page = await studio.open(`${studio.game}/matches/${body.matchSessionId}`);
    await page
      .getByRole('region', { name: 'Metadata' })
      .getByText(/"115292150460684\d+"/)
      .waitFor({ timeout: 20_000 });
  });

  test('adds a note with its author and time, and deletes it', async () => {
    const page = await studio.open(`${studio.game}/players/${ada.playerId}?tab=notes`);
    await page.getByText('Nobody has written a note about this player.').waitFor();
    const add = page.getByRole('button', { name: 'Add the note' });
    assert.ok(await add.isDisabled());
    await page.getByLabel('New note').fill('Asked for a refund.\nSee ticket 42.');
    await add.click();
    const note = page.getByRole('article');
    await note.getByText('See ticket 42.').waitFor();
    await note.getByText(studio.owner.email).waitFor();
    await becomes(() => page.getByLabel('New note').inputValue(), '');
    await assertAccessible(page, 'notes');

    const reader = await studio.open(`${studio.game}/players/${ada.playerId}?tab=notes`, { role: 'viewer' });
    await reader.getByText('See ticket 42.').waitFor();
    await countBecomes(reader.getByLabel('New note'), 0);
    await countBecomes(reader.getByRole('button', { name: 'Delete the note' }), 0);

    await page.getByRole('button', { name: 'Delete the note' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete the note' }).click();
    await page.getByText('Nobody has written a note about this player.').waitFor();
  });

  test('keeps a typed note while another tab is open, and asks before it is lost', async () => {
    const page = await studio.open(`${studio.game}/players/${ben.playerId}?tab=notes`);
    await page.getByLabel('New note').fill('Half a note');
    await page.getByRole('tab', { name: 'Audit' }).click();
    await page.getByRole('link', { name: 'Players', exact: true }).click();
    await page
      .getByRole('dialog', { name: 'Leave without saving' })
      .getByRole('button', { name: 'Cancel' })
      .click();
    await dialogCloses(page);
    await page.getByRole('tab', { name: 'Notes' }).click();
    await becomes(() => page.getByLabel('New note').inputValue(), 'Half a note');
  });

  test('keeps a typed note and says why it is refused, if the role was lowered in the meantime', async () => {
    const page = await studio.open(`${studio.game}/players/${ben.playerId}?tab=notes`, { role: 'admin' });
    const note = page.getByLabel('New note');
    await note.fill('Asked for a refund');
    const { rows: admins } = await studio.app.owner.query(
      `SELECT account_id AS id FROM memberships WHERE workspace_id = $1 AND role = 'admin'`,
      [studio.tenant.workspaceId],
    );
    const owner = await arrangeAccount(studio.app, studio.tenant, 'owner');
    for (const { id } of admins)
      await studio.app.http.patch(
        `/api/workspaces/${studio.tenant.workspaceId}/members/${id}`,
        { role: 'viewer' },
        owner,
      );
    await page.getByRole('button', { name: 'Add the note' }).click();
    await page.getByRole('button', { name: 'Ban', exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('alert').getByText(/role/).waitFor();
    await becomes(() => note.inputValue(), 'Asked for a refund');
    await note.fill('');
    await note.waitFor({ state: 'detached' });
  });

  test('shows another player without the text that was typed about the previous one', async () => {
    const page = await studio.open(`${studio.game}/players/${ben.playerId}`);
    const title = (name: string) => page.getByRole('heading', { level: 1, name });
    await title('Ben Bitdiddle').waitFor();
    await page.getByRole('link', { name: 'Players', exact: true }).click();
    await page.getByRole('link', { name: 'Ada Lovelace' }).click();
    await title('Ada Lovelace').waitFor();
    await page.getByRole('button', { name: 'Ban', exact: true }).click();
    await page.getByRole('dialog', { name: 'Ban Ada Lovelace' }).getByLabel('Reason').fill('Cheats');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Go to a page, a game, a player or a match' }).fill('Ben');
    await page.getByRole('option', { name: 'Ben Bitdiddle' }).click();
    await page.getByRole('button', { name: 'Discard the changes' }).click();
    await page.waitForURL(`**/players/${ben.playerId}`);
    await title('Ben Bitdiddle').waitFor();
    await dialogCloses(page);
  });

  test('says that an unknown player or an unknown game does not exist', async () => {
    const page = await studio.open(`${studio.game}/players/${randomUUID()}`);
    await page.getByRole('heading', { name: 'This player does not exist' }).waitFor();
    await page.goto(`/games/${randomUUID()}/players`);
    await page.getByRole('heading', { name: 'This game does not exist' }).waitFor();
  });

  test('shows a player once who has moved from one page to the next', async () => {
    await addPlayers(120);
    const page = await studio.open(studio.game);
    // The last players of the first page are also the first ones of the second.
    await page.route('**/players?limit=100&offset=100*', (route) =>
      route.continue({ url: route.request().url().replace('offset=100', 'offset=93') }),
    );
    await page.getByRole('link', { name: 'Players', exact: true }).click();
    const table = page.getByRole('region', { name: 'Players' });
    const second = page.waitForResponse('**/players?limit=100&offset=93*');
    await becomes(async () => {
      await table.evaluate((region) => region.scrollTo(0, region.scrollHeight));
      return table.locator('tr[data-row]').last().getAttribute('aria-rowindex');
    }, '124');
    await second;
    await studio.app.owner.query(
      `DELETE FROM tenant_access WHERE player_id IN (SELECT id FROM players WHERE display_name LIKE 'Crowd %')`,
    );
    await studio.app.owner.query('DELETE FROM tenant_player_counts WHERE shard = 99');
  });

  test('scrolls through 1,000 players, keeps few rows in the page, and reads them once', async () => {
    await addPlayers(1_000);
    const page = await studio.open(`${studio.game}/players?sort=displayName`);
    await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor();
    const scroller = page.getByRole('region', { name: 'Players' });
    const last = page.getByRole('link', { name: 'Crowd 999' });
    const scrollToEnd = () => scroller.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    const deadline = Date.now() + 60_000;
    while ((await last.count()) === 0 && Date.now() < deadline) await scrollToEnd();
    await last.waitFor();
    const count = await page.locator('tr[data-row]').count();
    assert.ok(count < 100, `${count} rows are in the page`);

    await scroller.evaluate((element) => element.scrollTo(0, 0));
    await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor();
    await scroller.hover();
    await page.mouse.wheel(0, 1_500);
    await page
      .getByRole('row', { name: /^Crowd/ })
      .first()
      .waitFor();
    const top = () => scroller.evaluate(({ scrollTop }) => scrollTop);
    await becomes(async () => (await top()) >= 1_500, true);
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
    assert.equal(await top(), 1_500);

    // A window of 1,280 × 800 pixels, zoomed to 200 %.
    const size = page.viewportSize()!;
    await page.setViewportSize({ width: 640, height: 400 });
    const height = await scroller.evaluate(({ clientHeight }) => clientHeight);
    assert.ok(height > 4 * 36, `Rows show in ${height} px.`);
    await page.setViewportSize(size);

    // The rows are old when the reader turns to the tab, and comes back from another page.
    let requests = 0;
    page.on('request', (request) => (requests += Number(request.url().includes('/players?limit=100'))));
    await page.clock.setFixedTime(Date.now() + 60_000);
    await page.evaluate(() => globalThis.dispatchEvent(new Event('visibilitychange')));
    await page.getByRole('link', { name: 'Matches', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Matches', exact: true }).waitFor();
    await page.goBack();
    await page
      .getByRole('row', { name: /^Crowd/ })
      .first()
      .waitFor();
    assert.equal(requests, 0);
    // The clock of the context stands still.
    await page.context().close();
  });

  test('shows a session as expired 2 hours after it was last seen', async () => {
    const dan = await arrangePlayer(studio.app, studio.tenant, 'dan');
    const page = await studio.open(`${studio.game}/players/${dan.playerId}`);
    const state = (name: string) => page.getByRole('cell', { name, exact: true });
    await state('Open').waitFor();
    const lastSeen = (minutesAgo: number) =>
      studio.app.owner.query(
        `UPDATE login_sessions SET last_seen_at = now() - interval '1 minute' * $2 WHERE session_id = $1`,
        [dan.sessionId, minutesAgo],
      );
    await lastSeen(119);
    await page.reload();
    await state('Open').waitFor();
    await lastSeen(121);
    await page.reload();
    await state('Expired').waitFor();
    // The number counts it, because it has not ended and can be refreshed.
    await page.getByRole('term').filter({ hasText: 'Sessions not ended' }).waitFor();
    await assertAccessible(page, 'an expired session');
  });

  test('shows merged profiles, and what the player did as one of them', async () => {
    const [eve, fay] = [
      await arrangePlayer(studio.app, studio.tenant, 'eve'),
      await arrangePlayer(studio.app, studio.tenant, 'fay'),
    ];
    await studio.app.owner.query('UPDATE tenants SET auto_create_definitions = true');
    const event = {
      playerId: eve.playerId,
      eventKey: 'wallhack',
      idempotencyKey: randomUUID(),
      occurredAt: new Date().toISOString(),
    };
    const players = [{ playerId: eve.playerId }];
    const { http } = studio.app;
    const merge = {
      sourceProfileId: eve.playerId,
      sourceProvider: 'Mock',
      sourceAuthToken: 'mock:eve:secret',
    };
    for (const { status, text } of [
      await http.post('/api/game/player-events', { events: [event] }, eve.caller),
      await http.post('/api/game/matches', { players, mode: 'arena' }, studio.tenant),
      await http.post('/api/player-profile/me/merge', merge, { bearer: fay.accessToken }),
    ])
      assert.ok(status < 300, text);

    const page = await studio.open(`${studio.game}/players/${fay.playerId}`);
    await page.getByText('Merged profiles').waitFor();
    const id = `${eve.playerId.slice(0, 6)}…${eve.playerId.slice(-6)}`;
    await page.getByRole('button', { name: `${id}: copy` }).waitFor();
    await assertAccessible(page, 'merged profiles');
    const merged = page.getByText(`The player ${id} was merged into this player.`);
    await countBecomes(merged, 0);
    await page.goto(`${studio.game}/players/${eve.playerId}`);
    await merged.waitFor();
    await page.getByRole('tab', { name: 'Events' }).click();
    await page.getByText('wallhack').waitFor();
    await page.getByRole('tab', { name: 'Matches' }).click();
    await page.getByText('arena').waitFor();

    await page.goto(`${studio.game}/players/${ada.playerId}`);
    await page.getByRole('tab', { name: 'Matches' }).waitFor();
    await countBecomes(page.getByText('Merged profiles'), 0);
  });

  test('offers only an export for a deleted player', async () => {
    const { playerId } = await arrangePlayer(studio.app, studio.tenant, 'dee');
    await studio.app.owner.query(`UPDATE players SET is_active = false, display_name = NULL WHERE id = $1`, [
      playerId,
    ]);
    const page = await studio.open(`${studio.game}/players/${playerId}`);
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Export the data' }).waitFor();
    assert.equal(await page.getByRole('menuitem').count(), 1);
    assert.equal(await page.getByRole('button', { name: 'Ban', exact: true }).count(), 0);
  });
});
