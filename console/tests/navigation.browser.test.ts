import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { arrangePlayer, arrangeTenant } from '../../server/src/testing/arrange.ts';
import { eventually } from '../../server/src/testing/eventually.ts';
import { assertAccessible, becomes, countBecomes, failUntilTriedAgain, startStudio } from './browser.ts';

const studio = await startStudio();
const { app, tenant } = studio;
const { rows } = await app.owner.query(
  `INSERT INTO tenants (id, workspace_id, name, slug) VALUES (gen_random_uuid(), $1, 'Undertow', 'undertow') RETURNING id`,
  [tenant.workspaceId],
);
const other = `/games/${rows[0].id}`;

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });

describe('the game of the page', () => {
  test('stays when the pointer is over the link of another game', async () => {
    const page = await studio.open(studio.game);
    await heading(page, 'Overview').waitFor();
    await page.getByRole('link', { name: 'Games', exact: true }).click();
    const loaded = page.waitForResponse(`**/api/bus_tenants/${rows[0].id}`);
    await page.getByRole('link', { name: 'Undertow' }).hover();
    await loaded;
    await page.getByRole('link', { name: 'Members' }).click();
    await heading(page, 'Members').waitFor();
    await page.getByRole('button', { name: 'Game: Tidewater' }).waitFor();
    const players = page.getByRole('link', { name: 'Players', exact: true });
    assert.equal(await players.getAttribute('href'), `${studio.game}/players`);
  });

  test('is the one of the URL while it loads', async () => {
    const page = await studio.open(`${studio.game}/players`);
    await heading(page, 'Players').waitFor();
    const { promise: answer, resolve: answers } = Promise.withResolvers<void>();
    await page.route(`**/api/bus_tenants/${rows[0].id}`, async (route) => {
      await answer;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Game: Tidewater' }).click();
    await page.getByRole('menuitem', { name: 'Undertow' }).click();
    await heading(page, 'Loading…').waitFor();
    await heading(page, 'Players').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Game: Undertow' }).waitFor();
    await assertAccessible(page, 'a page that loads');
    answers();
    await heading(page, 'Overview').waitFor();
    assert.equal(new URL(page.url()).pathname, other);
  });
});

describe('the first visit', () => {
  test('opens the oldest game that is not disabled', async () => {
    await app.owner.query(
      `INSERT INTO tenants (id, workspace_id, name, slug, created_at, disabled_at)
       VALUES (gen_random_uuid(), $1, 'Driftwood', 'driftwood', now() - interval '1 day', now())`,
      [tenant.workspaceId],
    );
    const page = await studio.open('/');
    await heading(page, 'Overview').waitFor();
    assert.equal(new URL(page.url()).pathname, studio.game);
  });
});

describe('the side bar', () => {
  test('has the links to the last game before the games are known', async () => {
    const page = await studio.open(studio.game);
    await heading(page, 'Overview').waitFor();
    const { promise: answer, resolve: answers } = Promise.withResolvers<void>();
    await page.route('**/bus_tenants?*', async (route) => {
      await answer;
      await route.continue();
    });
    await page.goto('/account');
    const players = page.getByRole('link', { name: 'Players', exact: true });
    await becomes(() => players.getAttribute('href'), `${studio.game}/players`);
    answers();
    await page.getByRole('button', { name: 'Game: Tidewater' }).waitFor();
  });
});

describe('the code of a page', () => {
  test('is loaded when the connection is back', async () => {
    const page = await studio.open(studio.game);
    await heading(page, 'Overview').waitFor();
    await page.context().setOffline(true);
    await page.getByText('No connection.').waitFor();
    await page.getByRole('link', { name: 'Members' }).click();
    await heading(page, 'Loading…').waitFor();
    await page.context().setOffline(false);
    await heading(page, 'Members').waitFor();
  });

  test('is loaded when the server answers again', async () => {
    const page = await studio.open(studio.game);
    await heading(page, 'Overview').waitFor();
    let isAway = true;
    for (const path of ['assets/MembersPage-*', ''])
      await page.route(`${app.url}/${path}`, (route) => (isAway ? route.abort() : route.continue()));
    const refused = page.waitForEvent('requestfailed', (request) => request.url() === `${app.url}/`);
    await page.getByRole('link', { name: 'Members' }).click();
    await refused;
    isAway = false;
    await heading(page, 'Members').waitFor();
  });
});

describe('a page whose code a new version has replaced', () => {
  test('says so, if a reload did not help, and offers another', async () => {
    const page = await studio.open(studio.game);
    await heading(page, 'Overview').waitFor();
    await page.route('**/assets/MembersPage-*', async (route) => {
      // The router keeps this when it has reloaded the page.
      await page.evaluate((url) => {
        const key = `tanstack_router_reload:Failed to fetch dynamically imported module: ${url}`;
        sessionStorage.setItem(key, '1');
      }, route.request().url());
      await route.fulfill({ status: 404 });
    });
    await page.getByRole('link', { name: 'Members' }).click();
    await page.getByRole('heading', { name: 'A new version was installed' }).waitFor();
    await page.unroute('**/assets/MembersPage-*');
    await page.getByRole('button', { name: 'Reload' }).click();
    await heading(page, 'Members').waitFor();
  });
});

describe('a page that could not be loaded', () => {
  test('is loaded without a click when the server answers again', async () => {
    const page = await studio.open(studio.game);
    await heading(page, 'Overview').waitFor();
    await page.clock.install();
    let isAway = true;
    for (const path of ['assets/WebhooksPage-*', ''])
      await page.route(`${app.url}/${path}`, (route) => (isAway ? route.abort() : route.continue()));
    await page.getByRole('link', { name: 'Webhooks' }).click();
    const error = page.getByRole('heading', { name: 'This page could not be loaded' });
    await eventually(async () => {
      await page.clock.runFor(2_000);
      return error.isVisible();
    });
    isAway = false;
    await page.clock.runFor(6_000);
    await heading(page, 'Webhooks').waitFor();
    await page.context().close();
  });
});

describe('a list that could not be loaded', () => {
  test('waits for a server that restarts, and is loaded without a click when it answers later', async () => {
    const page = await studio.open(studio.game);
    await heading(page, 'Overview').waitFor();
    await page.clock.install();
    let isAway = true;
    for (const url of ['**/players?limit=*', `${app.url}/`])
      await page.route(url, (route) => (isAway ? route.abort() : route.continue()));
    const refused = page.waitForEvent('requestfailed');
    await page.getByRole('link', { name: 'Players', exact: true }).click();
    await refused;
    const error = page.getByRole('heading', { name: 'Players could not be loaded' });
    await page.clock.runFor(10_000);
    await heading(page, 'Players').waitFor();
    await countBecomes(error, 0);
    await eventually(async () => {
      await page.clock.runFor(2_000);
      return error.isVisible();
    });
    isAway = false;
    await page.clock.runFor(6_000);
    await page.getByRole('heading', { name: 'No players yet' }).waitFor();
    await page.context().close();
  });
});

describe('eight tabs', () => {
  test('all load, because one of them follows the notifications for all', async () => {
    const page = await studio.open(studio.game);
    await page.getByRole('link', { name: 'Players', exact: true }).waitFor();
    for (let tab = 2; tab <= 8; tab++) {
      const other = await page.context().newPage();
      await other.goto(`${studio.game}/players`);
      await other.getByRole('heading', { name: 'No players yet' }).waitFor();
    }
    await page.context().close();
  });

  test('all show a new notification', async () => {
    const page = await studio.open(studio.game);
    const second = await page.context().newPage();
    await second.goto(studio.game);
    for (const tab of [page, second])
      await tab.getByRole('button', { name: 'Notifications', exact: true }).waitFor();
    await app.owner.query(
      `INSERT INTO notifications (id, account_id, type, title, text, workspace_id, tenant_id)
       SELECT gen_random_uuid(), id, 'alert.rate_spike', 'Many requests', 'A key was busy.', $1, $2
       FROM accounts WHERE email = $3`,
      [tenant.workspaceId, tenant.tenantId, studio.owner.email],
    );
    for (const tab of [page, second])
      await tab.getByRole('button', { name: 'Notifications: 1 unread' }).waitFor();

    // The notification leads to the page that it is about.
    await second.getByRole('button', { name: 'Notifications: 1 unread' }).click();
    await second.getByRole('button', { name: /^Many requests/ }).click();
    await second.waitForURL(`**/workspaces/${tenant.workspaceId}/alerts?tenantId=${tenant.tenantId}`);
    await second.getByRole('button', { name: 'Notifications', exact: true }).waitFor();
    await countBecomes(second.getByRole('button', { name: /^Many requests/ }), 0);
  });
});

describe('the notifications', () => {
  test('include one that arrives after the list is read and before the feed connects', async () => {
    const page = await studio.open('/account', { role: 'admin' });
    await page.getByRole('button', { name: 'Notifications', exact: true }).waitFor();
    // The feed reads the newest notification before it connects.
    const begins = Promise.withResolvers<void>();
    const mayConnect = Promise.withResolvers<void>();
    await page.route('**/api/notifications?limit=1', async (route) => {
      begins.resolve();
      await mayConnect.promise;
      await route.continue();
    });
    const list = page.waitForResponse('**/api/notifications?limit=50&**');
    await page.reload();
    await Promise.all([list, begins.promise]);
    await app.owner.query(
      `INSERT INTO notifications (id, account_id, type, title, text, workspace_id)
       SELECT gen_random_uuid(), account_id, 'usage.warning', 'Much is used', 'The plan is nearly used.', workspace_id
       FROM memberships WHERE workspace_id = $1 AND role = 'admin'`,
      [tenant.workspaceId],
    );
    mayConnect.resolve();
    await page.getByRole('button', { name: 'Notifications: 1 unread' }).waitFor();
  });
});

describe('the list of notifications', () => {
  test('loads older ones at its end, and keeps them when a new one arrives', async () => {
    const page = await studio.open('/account', { role: 'viewer' });
    const notify = (from: number, to: number) =>
      app.owner.query(
        `INSERT INTO notifications (id, account_id, type, title, text, workspace_id, created_at)
         SELECT gen_random_uuid(), account_id, 'usage.warning', 'Warning ' || number, 'Much is used.', workspace_id,
                now() + number * interval '1 ms'
         FROM memberships, generate_series($2::int, $3) number WHERE workspace_id = $1 AND role = 'viewer' ORDER BY number`,
        [tenant.workspaceId, from, to],
      );
    await notify(1, 60);
    await page.getByRole('button', { name: 'Notifications: 60 unread' }).click();
    const list = page.getByRole('region', { name: 'List of notifications' });
    const notices = list.getByRole('button');
    await countBecomes(notices, 50);
    await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await countBecomes(notices, 60);
    await notices.last().getByText('Warning 1', { exact: true }).waitFor();

    await notify(61, 61);
    await notices.first().getByText('Warning 61').waitFor();
    await countBecomes(notices, 61);
    await notices.last().click();
    await page.waitForURL('**/usage');
    await page.getByRole('button', { name: 'Notifications: 60 unread' }).click();
    await countBecomes(notices, 50);
  });

  test('loads no older ones while it closes', async () => {
    const page = await studio.open('/account', { role: 'platformAdmin', reducedMotion: 'no-preference' });
    await app.owner.query(
      `INSERT INTO notifications (id, account_id, type, title, text)
       SELECT gen_random_uuid(), id, 'usage.warning', 'Warning', 'Much is used.'
       FROM accounts, generate_series(1, 60) WHERE is_platform_admin`,
    );
    await page.reload();
    await page.getByRole('button', { name: /^Notifications: \d+ unread/ }).click();
    const list = page.getByRole('region', { name: 'List of notifications' });
    await countBecomes(list.getByRole('button'), 50);
    await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await becomes(async () => (await list.getByRole('button').count()) > 50, true);
    await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    let requests = 0;
    page.on('request', (request) => (requests += Number(request.url().includes('offset=50'))));
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: /^Notifications: \d+ unread/ }).click();
    await countBecomes(list.getByRole('button'), 50);
    assert.equal(requests, 0);
  });
});

describe('the command palette', () => {
  test('finds games by name, and opens one', async () => {
    const page = await studio.open(studio.game);
    await heading(page, 'Overview').waitFor();
    await page.keyboard.press('Control+k');
    const input = page.getByRole('combobox', { name: 'Go to a page, a game, a player or a match' });
    await input.waitFor();
    await countBecomes(page.getByRole('option', { name: 'Undertow' }), 0);
    await input.fill('undert');
    await page.getByRole('option', { name: 'Undertow Open the game' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Game: Undertow' }).waitFor();
    await becomes(async () => new URL(page.url()).pathname, other);
  });

  test('takes the keys that are typed right after it was opened', async () => {
    const page = await studio.open(studio.game);
    await heading(page, 'Overview').waitFor();
    await page.waitForFunction(() =>
      performance.getEntriesByType('resource').some(({ name }) => name.includes('CommandPalette')),
    );
    await page.keyboard.press('Control+k');
    await page.keyboard.type('undert');
    const input = page.getByRole('combobox', { name: 'Go to a page, a game, a player or a match' });
    assert.equal(await input.inputValue(), 'undert');
  });

  test('lists the game with the closest name first', async () => {
    await app.owner.query(
      `INSERT INTO tenants (id, workspace_id, name, slug, created_at)
       SELECT gen_random_uuid(), $1, name, lower(replace(name, ' ', '-')), now() + number * interval '1 second'
       FROM unnest(ARRAY['Quest 1', 'Quest 2', 'Quest 3', 'Quest 4', 'Quest 5', 'Quest 6', 'Quest']) WITH ORDINALITY game (name, number)`,
      [tenant.workspaceId],
    );
    const page = await studio.open(studio.game);
    await heading(page, 'Overview').waitFor();
    await page.keyboard.press('Control+k');
    const input = page.getByRole('combobox', { name: 'Go to a page, a game, a player or a match' });
    await input.fill('quest');
    const options = page.getByRole('option', { name: 'Open the game' });
    await options.first().waitFor();
    assert.match(await options.first().innerText(), /^Quest\s/);
    await input.fill('');
    await page.getByRole('option', { name: 'Players' }).waitFor();
    await assertAccessible(page, 'the command palette');
    await app.owner.query(`DELETE FROM tenants WHERE name LIKE 'Quest%' AND workspace_id = $1`, [
      tenant.workspaceId,
    ]);
  });
});

describe('the URL', () => {
  test('drops unknown filters, shows which one the server refuses, and uses the default for an unknown range', async () => {
    const page = await studio.open(`${studio.game}/players?foo=1&search=&sort=displayName`);
    await page.waitForURL(`**${studio.game}/players?sort=displayName`);
    await page.getByRole('heading', { name: 'No players yet' }).waitFor();

    const refusal = page.getByRole('heading', { name: 'A filter is not valid' });
    await page.goto(`${studio.game}/players?banned=maybe`);
    await refusal.waitFor();
    await page.goto(`${studio.game}/players?sort=age`);
    await refusal.waitFor();
    await page.getByRole('button', { name: 'Remove the filters' }).click();
    await page.getByRole('heading', { name: 'No players yet' }).waitFor();
    await page.goto(`${studio.game}/events?playerId=ada`);
    await page.getByText('playerId must be a UUID').waitFor();
    await page.goto(`${studio.game}/wallet?entry=first`);
    await page.getByRole('heading', { name: 'No such entry' }).waitFor();

    await page.goto(`${studio.game}/events?range=constructor`);
    await page.getByRole('heading', { name: 'No events in this time range' }).waitFor();
    await becomes(() => page.getByRole('combobox', { name: 'Time range' }).inputValue(), 'Last hour');
  });
});

describe('a phone', () => {
  test('switches the workspace in the menu', async () => {
    const elsewhere = await arrangeTenant(app);
    await app.owner.query(`UPDATE workspaces SET name = 'Lagoon Labs' WHERE id = $1`, [
      elsewhere.workspaceId,
    ]);
    await app.owner.query(
      `INSERT INTO memberships (workspace_id, account_id, role) SELECT $1, id, 'viewer' FROM accounts WHERE email = $2`,
      [elsewhere.workspaceId, studio.owner.email],
    );
    const page = await studio.open(studio.game, { viewport: { width: 360, height: 740 } });
    await heading(page, 'Overview').waitFor();
    await page.getByRole('button', { name: 'Open the menu' }).click();
    const drawer = page.getByRole('dialog', { name: 'Menu' });
    const workspace = drawer.getByRole('button', { name: 'Workspace: Harbor Games' });
    await workspace.waitFor();
    await assertAccessible(page, 'the menu on a phone');
    await workspace.click();
    await page.getByRole('menuitem', { name: 'Lagoon Labs' }).click();
    await heading(page, 'Lagoon Labs').waitFor();
    await countBecomes(drawer, 0);
    await becomes(async () => new URL(page.url()).pathname, `/workspaces/${elsewhere.workspaceId}`);

    await page.getByRole('button', { name: /^Notifications/ }).click();
    const { x, width } = (await page.getByRole('dialog', { name: 'Notifications' }).boundingBox())!;
    assert.ok(x >= 0 && x + width <= 360, `from ${x} px, ${width} px wide`);
  });
});

describe('a window below 1280 px', () => {
  const leftOf = async (page: Page) => (await page.locator('main').boundingBox())!.x;

  test('shows the side bar as icons with tips, also while the page loads, and the names in the menu', async () => {
    const page = await studio.open(studio.game, { viewport: { width: 1024, height: 768 } });
    await heading(page, 'Overview').waitFor();
    const { promise: answer, resolve: answers } = Promise.withResolvers<void>();
    await page.route('**/api/saas-auth/me', async (route) => {
      await answer;
      await route.continue();
    });
    await page.reload();
    await heading(page, 'Loading…').waitFor();
    assert.equal(await leftOf(page), 56);
    answers();
    await heading(page, 'Overview').waitFor();
    assert.equal(await leftOf(page), 56);
    await assertAccessible(page, 'the icons');

    const link = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Wallet ledger' });
    await link.hover();
    const tip = page.getByRole('tooltip').filter({ hasText: 'Wallet ledger' });
    await tip.waitFor();
    const { x, width } = (await link.boundingBox())!;
    assert.ok((await tip.boundingBox())!.x >= x + width, 'covers no other icon');

    const menu = page.getByRole('button', { name: 'Open the menu' });
    await menu.click();
    const drawer = page.getByRole('dialog', { name: 'Menu' });
    await drawer.getByText('Wallet ledger').waitFor();
    await assertAccessible(page, 'the menu beside the icons');
    await drawer.getByRole('link', { name: 'Matches' }).click();
    await heading(page, 'Matches').waitFor();
    await countBecomes(drawer, 0);

    await page.setViewportSize({ width: 1280, height: 768 });
    await becomes(() => leftOf(page), 220);
    await menu.waitFor({ state: 'hidden' });
  });

  test('shows the values of all figures in one line, also if a label takes two', async () => {
    const page = await studio.open(studio.game, { viewport: { width: 920, height: 768 } });
    const figures = page.getByRole('region', { name: 'Figures of the time range' });
    await figures.getByText(/^\d+$/).nth(4).waitFor();
    const tops = await figures
      .getByText(/^\d+$/)
      .evaluateAll((values) => values.map((value) => value.getBoundingClientRect().top));
    assert.equal(new Set(tops).size, 1);
  });

  test('shows a long name whole on hover', async () => {
    const name = 'The Lighthouse Keepers of the Northern Archipelago';
    const { rows } = await app.owner.query(
      `INSERT INTO tenants (id, workspace_id, name, slug) VALUES (gen_random_uuid(), $1, $2, 'lighthouse') RETURNING id`,
      [tenant.workspaceId, name],
    );
    const page = await studio.open(`/games/${rows[0].id}`, { viewport: { width: 1024, height: 768 } });
    await page.getByRole('button', { name: `Game: ${name}` }).hover();
    await page.getByRole('tooltip').filter({ hasText: name }).waitFor();
  });
});

describe('the overview', () => {
  test('shows no figures of the game before, and reads a figure again after an error', async () => {
    await arrangePlayer(app, tenant);
    const page = await studio.open(studio.game);
    const figures = page.getByRole('region', { name: 'Figures of the time range' });
    await figures.getByText('1', { exact: true }).first().waitFor();
    const { promise: answer, resolve: answers } = Promise.withResolvers<void>();
    await page.route(`**/api/bus_tenants/${rows[0].id}/sessions/analytics*`, async (route) => {
      await answer;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Game: Tidewater' }).click();
    await page.getByRole('menuitem', { name: 'Undertow' }).click();
    await page.waitForURL(`**${other}`);
    await page.getByText('Undertow', { exact: true }).last().waitFor();
    await countBecomes(figures.getByText('1', { exact: true }), 0);
    answers();
    await countBecomes(figures.getByText('unchanged'), 4);

    // A figure that could not be read is read again on request.
    await failUntilTriedAgain(page, '**/sessions/analytics*');
    await page.getByRole('combobox').click();
    await page.getByRole('option', { name: 'Last 7 days' }).click();
    await countBecomes(figures.getByRole('alert'), 2);
    await figures.getByRole('button', { name: 'Try again: Sign-ins' }).click();
    await countBecomes(figures.getByRole('alert'), 0);
  });

  test('reads all of its data again while it is open', async () => {
    const page = await studio.open(`${studio.game}/settings`);
    await heading(page, 'Game settings').waitFor();
    await page.clock.install();
    await page.getByRole('link', { name: 'Overview' }).click();
    await heading(page, 'Overview').waitFor();
    const figures = page.getByRole('region', { name: 'Figures of the time range' });
    await countBecomes(figures.getByText(/unchanged|none before/), 4);
    await countBecomes(page.getByRole('main').locator('.mantine-Skeleton-root'), 0);
    const notRead = new Set([
      'match events',
      'player events',
      'match events before',
      'player events before',
      'rejected events',
      'sign-ins',
      'sign-ins before',
      'sign-ins over time',
      'latest changes',
      'alerts',
      'usage',
    ]);
    page.on('request', (request) => notRead.delete(nameOf(new URL(request.url()))));
    await page.clock.fastForward(61_000);
    await becomes(async () => [...notRead], []);
    await page.context().close();
  });
});

/** What a request of the overview reads. */
function nameOf({ pathname, searchParams }: URL): string {
  const before = Date.parse(searchParams.get('to') ?? '') < Date.now() - 3_600_000 ? ' before' : '';
  if (pathname.endsWith('/events/summary') && searchParams.get('bucket') === 'hour')
    return `${searchParams.get('scope')} events${before}`;
  if (pathname.endsWith('/sessions/analytics')) return `sign-ins${before}`;
  if (pathname.endsWith('/rejected-events')) return 'rejected events';
  if (pathname.endsWith('/sessions/timeline')) return 'sign-ins over time';
  if (pathname.endsWith('/audit-records')) return 'latest changes';
  if (pathname.endsWith('/alerts')) return 'alerts';
  return pathname.endsWith('/quota') ? 'usage' : pathname;
}

describe('the pages of a game', () => {
  test('lead to its alerts and to the usage of each game', async () => {
    const page = await studio.open(`${studio.game}/settings`, { role: 'viewer' });
    await page.getByRole('link', { name: 'Open the alerts' }).click();
    await page.waitForURL(`**/alerts?tenantId=${tenant.tenantId}`);
    await page.goto(studio.game);
    await page.getByRole('link', { name: 'Open the list' }).click();
    await page.waitForURL('**/events/rejected');
    await page.goBack();
    await page.getByRole('link', { name: 'Open the usage by game' }).click();
    await page.waitForURL('**/usage?groupBy=tenant');
    await page.getByRole('radio', { name: 'By game', checked: true }).waitFor({ state: 'attached' });
  });
});

describe('the frame of the pages', () => {
  test('does not move when the account has loaded', async () => {
    const page = await studio.open(`${studio.game}/players`);
    await heading(page, 'Players').waitFor();
    const { promise: answer, resolve: answers } = Promise.withResolvers<void>();
    await page.route('**/api/saas-auth/me', async (route) => {
      await answer;
      await route.continue();
    });
    await page.reload();
    const placeOf = async (name: string) => {
      const { x, y } = (await heading(page, name).boundingBox())!;
      return { x, y };
    };
    const before = await placeOf('Loading…');
    answers();
    await heading(page, 'Players').waitFor();
    assert.deepEqual(await placeOf('Players'), before);
  });
});

describe('a reader who prefers reduced motion', () => {
  test('sees placeholders that do not pulse', async () => {
    const page = await studio.open(studio.game);
    await heading(page, 'Overview').waitFor();
    await page.route('**/players?limit=*', () => {});
    await page.getByRole('link', { name: 'Players', exact: true }).click();
    await page.locator('.mantine-Skeleton-root').first().waitFor();
    await becomes(() => page.evaluate(() => document.getAnimations().length), 0);
  });
});

describe('a screen reader', () => {
  test('reads another page, other rows, a copied id, and a search that finds nothing', async () => {
    await arrangePlayer(app, tenant, 'hedy');
    const page = await studio.open(studio.game, { permissions: ['clipboard-write'] });
    await heading(page, 'Overview').waitFor();
    await page.evaluate(() => {
      const read: string[] = [];
      const readAll = (): void =>
        document.querySelectorAll('[role=status]').forEach(({ textContent }) => read.push(textContent));
      new MutationObserver(readAll).observe(document.body, {
        childList: true,
        subtree: true,
        characterData: true,
      });
      Object.assign(globalThis, { read });
    });
    const reads = (text: string): Promise<void> =>
      becomes(
        () =>
          page.evaluate(
            (wanted) =>
              (globalThis as unknown as { read: string[] }).read.some((each) => each.startsWith(wanted)),
            text,
          ),
        true,
      );
    await page.getByRole('link', { name: 'Players', exact: true }).click();
    await reads('Players');
    await page
      .getByRole('cell', { name: /: copy$/ })
      .first()
      .waitFor();
    const search = page.getByRole('searchbox');
    await search.fill('nobody');
    await reads('No player matches');
    await search.fill('hedy');
    await reads('1 row');
    await page.getByRole('button', { name: /: copy$/ }).click();
    await reads('Copied');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Go to a page, a game, a player or a match' }).fill('nobody');
    await reads('Nothing found.');
  });
});
