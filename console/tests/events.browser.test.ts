import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { arrangePlayer, arrangeTenant, type TestTenant } from '../../server/src/testing/arrange.ts';
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
const ada = await arrangePlayer(studio.app, studio.tenant, 'ada');
await autoCreate(studio.tenant);

interface SentEvent {
  eventKey: string;
  value?: number | string;
  occurredAt?: string;
}

let count = 0;
/** Sends player events. They occur now by default. */
async function sendAs(
  { playerId, caller }: Awaited<ReturnType<typeof arrangePlayer>>,
  ...events: SentEvent[]
): Promise<void> {
  const body = events.map((event) => ({
    playerId,
    occurredAt: new Date().toISOString(),
    idempotencyKey: `event-${++count}`,
    ...event,
  }));
  const { status, text } = await studio.app.http.post('/api/game/player-events', { events: body }, caller);
  assert.equal(status, 201, text);
}

const send = (...events: SentEvent[]): Promise<void> => sendAs(ada, ...events);

await send({ eventKey: 'jump' }, { eventKey: 'level_completed', value: '9223372036854775807' });

async function autoCreate({ tenantId }: TestTenant): Promise<void> {
  await studio.app.owner.query('UPDATE tenants SET auto_create_definitions = true WHERE id = $1', [tenantId]);
}

/** Creates an empty game of the studio. */
async function arrangeGame(): Promise<TestTenant> {
  const tenant = await arrangeTenant(studio.app, { workspaceId: studio.tenant.workspaceId });
  await autoCreate(tenant);
  return tenant;
}

/** The shown command for the shell, with the whole key. */
async function commandOf(page: Page, name: string, { gameKey }: TestTenant): Promise<string> {
  const command = page.getByRole('region', { name: `${name}: curl command` });
  await command.getByText(`X-Game-Key: ${gameKey.slice(0, 14)}`).waitFor();
  return (await command.innerText()).replace(/gh_game_[^']+/, gameKey);
}

/** Runs commands in a shell, and returns their output. */
async function run(commands: string, variables: Record<string, string> = {}): Promise<string> {
  const options = { env: { ...process.env, ...variables } };
  return (await promisify(execFile)('bash', ['-c', commands], options)).stdout;
}

describe('the first steps of a game', () => {
  test('work with a key of the page when they are pasted into one terminal', async () => {
    const tenant = await arrangeGame();
    const page = await studio.open(`/games/${tenant.tenantId}/first-run`);
    // Nobody can read the whole key of the game again.
    await commandOf(page, 'Sign-in', tenant);
    await page.getByRole('button', { name: 'Create a game key' }).click();
    await page.getByLabel('Name').fill('First steps');
    await page.getByRole('button', { name: 'Create the key' }).click();
    const gameKey = (await page.getByRole('region', { name: 'New key' }).innerText()).trim();
    await page.getByRole('button', { name: 'I saved the key' }).click();
    await page.getByText('Replace gh_game_').waitFor({ state: 'detached' });
    const commands = page.getByRole('region', { name: /: curl command$/ });
    const output = await run((await commands.allInnerTexts()).join('\n'));
    assert.match(output, /"records":\[\{/);
    await page.getByText('The event level_completed arrived.').waitFor();
    await page.getByRole('link', { name: 'Open the event' }).click();
    await page.getByRole('dialog', { name: 'Event' }).getByText('level_completed').first().waitFor();

    // Another page load does not have the key, and shows the newest one.
    await page.goto(`/games/${tenant.tenantId}/events?scope=match`);
    const command = await commandOf(page, 'Event', { ...tenant, gameKey });
    await page.getByText(`Replace ${gameKey.slice(0, 14)}… with your whole key`).waitFor();
    await page.getByRole('button', { name: 'Create a game key' }).click();
    await page.getByLabel('Name').fill('Events');
    await page.getByRole('button', { name: 'Create the key' }).click();
    const newKey = (await page.getByRole('region', { name: 'New key' }).innerText()).trim();
    await page.getByRole('button', { name: 'I saved the key' }).click();
    await page.getByText('with your whole key').waitFor({ state: 'detached' });
    const shown = page.getByRole('region', { name: 'Event: curl command' });
    await becomes(
      async () => (await shown.innerText()).replace(/(?<="occurredAt":")[^"]+/, ''),
      command.replace(gameKey, newKey).replace(/(?<="occurredAt":")[^"]+/, ''),
    );
  });

  test('show a new key until it is saved, even if the first event arrives', async () => {
    const tenant = await arrangeGame();
    const player = await arrangePlayer(studio.app, tenant);
    const page = await studio.open(`/games/${tenant.tenantId}/events?scope=player`);
    await page.getByRole('button', { name: 'Create a game key' }).click();
    await page.getByLabel('Name').fill('Events');
    await page.getByRole('button', { name: 'Create the key' }).click();
    const key = page.getByRole('region', { name: 'New key' });
    await key.waitFor();
    const event = {
      playerId: player.playerId,
      eventKey: 'jump',
      idempotencyKey: 'first',
      occurredAt: new Date().toISOString(),
    };
    const { status, text } = await studio.app.http.post(
      '/api/game/player-events',
      { events: [event] },
      player.caller,
    );
    assert.equal(status, 201, text);
    await page.getByText('jump').first().waitFor({ state: 'attached' });
    assert.match(await key.innerText(), /gh_game_/);
    await page.getByRole('button', { name: 'I saved the key' }).click();
    await page.getByRole('cell', { name: 'jump' }).waitFor();
  });

  test('are not shown as open while it is unknown what happened', async () => {
    const page = await studio.open(`${studio.game}/definitions`);
    await failUntilTriedAgain(page, '**/events?*limit=1');
    await page.goto(`${studio.game}/first-run`);
    await page.getByRole('alert').getByText('The steps could not be loaded').waitFor();
    assert.equal(await page.getByRole('listitem').filter({ hasText: 'Create a game key' }).count(), 0);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Create a game key' }).waitFor();
  });
});

describe('the commands and the code of empty pages', () => {
  const PAGES = [
    ['providers', 'Sign-in'],
    ['matches', 'Match'],
    ['events', 'Event'],
  ] as const;

  /** Shows the snippets of the pages of a new game, one at a time, and turns on what they need. */
  async function snippetsOf(tenant: TestTenant, read: (page: Page, name: string) => Promise<string>) {
    const page = await studio.open(`/games/${tenant.tenantId}/players`);
    await page.getByRole('button', { name: 'Turn Mock on' }).click();
    await page.getByRole('button', { name: 'Turn Mock on' }).waitFor({ state: 'detached' });
    const snippets: string[] = [];
    for (const [path, name] of PAGES) {
      await page.goto(`/games/${tenant.tenantId}/${path}`);
      if (path === 'providers') await page.getByRole('button', { name: 'Try it' }).last().click();
      if (path === 'events') await page.getByRole('button', { name: 'Turn auto-create on' }).click();
      snippets.push(await read(page, name));
    }
    await page.getByRole('button', { name: 'Turn auto-create on' }).waitFor({ state: 'detached' });
    return { page, text: snippets.join('\n') };
  }

  async function arrangeNewGame(): Promise<TestTenant> {
    const tenant = await arrangeTenant(studio.app, { workspaceId: studio.tenant.workspaceId });
    await studio.app.owner.query('DELETE FROM provider_settings WHERE tenant_id = $1', [tenant.tenantId]);
    return tenant;
  }

  test('lead to the first match event in one terminal', async () => {
    const tenant = await arrangeNewGame();
    const { page, text } = await snippetsOf(tenant, (shown, name) => commandOf(shown, name, tenant));
    assert.match(await run(text), /"records":\[\{/);
    await page.reload();
    await page.getByRole('cell', { name: 'round_won' }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'Open the match' }).click();
    await page.getByRole('heading', { level: 1, name: 'Match · duel' }).waitFor();
  });

  test('lead to the first match event in one file', async () => {
    const tenant = await arrangeNewGame();
    const { page, text } = await snippetsOf(tenant, async (shown, name) => {
      await commandOf(shown, name, tenant);
      await shown.getByRole('tab', { name: 'TypeScript' }).click();
      return shown.getByRole('region', { name: `${name}: TypeScript code` }).innerText();
    });
    const code = text.replaceAll(/gh_game_[^']+/g, tenant.gameKey);
    await promisify(execFile)(process.execPath, ['--input-type=module-typescript', '--eval', code], {
      cwd: import.meta.dirname,
      timeout: 60_000,
    });
    await page.reload();
    await page.getByRole('cell', { name: 'round_won' }).waitFor();
  });
});

describe('events', () => {
  test('filters by key and player, in the URL', async () => {
    const page = await studio.open(`${studio.game}/events?scope=player`);
    await page.getByRole('cell', { name: 'jump' }).waitFor();
    await page.getByLabel('Event key').fill('level_completed');
    await page.waitForURL('**eventKey=level_completed**');
    await page.getByRole('cell', { name: 'jump' }).waitFor({ state: 'detached' });
    await page.getByRole('cell', { name: 'level_completed' }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'ada' }).click();
    await page.waitForURL(`**/players/${ada.playerId}`);
  });

  test('opens on the player events if there are no match events, and offers them in the scope of the URL', async () => {
    const page = await studio.open(`${studio.game}/players`);
    const empty = page.getByText(/^No (events|data) in this time range/);
    // The page shows no empty list or chart before it knows that there are player events.
    const held = Promise.withResolvers<void>();
    await page.route('**/events?scope=player*', async (route) => {
      await held.promise;
      await route.continue();
    });
    const asked = page.waitForRequest('**/events?scope=player*');
    await page.getByRole('link', { name: 'Events' }).click();
    await asked;
    await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
    assert.equal(await empty.count(), 0);
    held.resolve();
    await page.getByRole('cell', { name: 'jump' }).waitFor();
    assert.equal(new URL(page.url()).search, '?scope=player');
    await page.getByText('Match events', { exact: true }).click();
    await page.getByText(/^\d+ player events in this time range\.$/).waitFor();
    await page.getByRole('button', { name: 'Show player events' }).click();
    await page.getByRole('cell', { name: 'jump' }).waitFor();
  });

  test('shows an event by its URL, and closes it by the back button or without a step in the history', async () => {
    const list = `${studio.game}/events?scope=player`;
    const page = await studio.open(`${studio.game}/players`);
    await page.goto(list);
    const row = page.getByRole('cell', { name: 'jump' }).first();
    const dialog = page.getByRole('dialog', { name: 'Event' });
    await backClosesPanel(page, row);
    await row.click();
    await page.waitForURL(/[?&]event=/);
    const link = page.url();
    await page.reload();
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialogCloses(page);
    assert.equal(new URL(page.url()).search, '?scope=player');
    await page.goBack();
    await page.waitForURL('**/players');

    // A colleague came from elsewhere. There is no list to go back to.
    await page.goto(link);
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialogCloses(page);
    await page.waitForURL(`**${list}`);
    await page.goto(`${list}&event=0`);
    await page.waitForURL(`**${list}`);
  });

  test('shows an event or the search after a double click, until a click beside it', async () => {
    const page = await studio.open(`${studio.game}/events?scope=player`);
    const openings = [
      [page.getByRole('cell', { name: 'jump' }), page.getByRole('dialog', { name: 'Event' })],
      [
        page.getByRole('button', { name: /^Search/ }),
        page.getByRole('dialog', { name: 'Search and commands' }),
      ],
    ] as const;
    for (const [opener, dialog] of openings) {
      const { x, y, width, height } = (await opener.boundingBox())!;
      const clickAgain = async (clickCount: number) => {
        await page.mouse.move(x + width / 2, y + height / 2);
        await page.mouse.down({ clickCount });
        await page.mouse.up({ clickCount });
      };
      await opener.click();
      await dialog.waitFor();
      await clickAgain(2);
      // A dialog that closes does so within this time.
      await sleep(500);
      assert.ok(await dialog.isVisible());
      await clickAgain(1);
      await dialog.waitFor({ state: 'detached' });
    }
  });

  test('shows all digits of a 64-bit value', async () => {
    const page = await studio.open(`${studio.game}/events?scope=player&eventKey=level_completed`);
    await page.getByRole('cell', { name: '9,223,372,036,854,775,807' }).waitFor();
  });

  test('offers a working command with the key of the game if there are no events', async () => {
    const tenant = await arrangeGame();
    const player = await arrangePlayer(studio.app, tenant);
    const match = await studio.app.http.post(
      '/api/game/matches',
      { players: [{ playerId: player.playerId }] },
      tenant,
    );
    const page = await studio.open(`/games/${tenant.tenantId}/events`);
    await page.getByText('No data in this time range.').waitFor();
    const answer = await run(await commandOf(page, 'Event', tenant), {
      ACCESS_TOKEN: player.accessToken,
      MATCH_ID: match.body.matchSessionId,
      MATCH_PLAYER_ID: match.body.players[0].matchPlayerId,
    });
    assert.equal(JSON.parse(answer).records.length, 1, answer);
    await page.getByLabel('Event key').fill('never-sent');
    await page.getByRole('heading', { name: 'No event matches the filters' }).waitFor();
  });

  test('shows the first events of a game without a reload, also in the chart', async () => {
    const tenant = await arrangeGame();
    const player = await arrangePlayer(studio.app, tenant);
    const page = await studio.open(`/games/${tenant.tenantId}/events?scope=player`);
    await page.getByRole('heading', { name: 'No events in this time range' }).waitFor();
    await page.getByText('No data in this time range.').waitFor();
    await sendAs(player, { eventKey: 'jump' });
    await page.getByRole('cell', { name: 'jump' }).waitFor();
    await page.getByRole('img', { name: /^Events per minute: jump from 0 to 1/ }).waitFor();
  });

  test('shows the players of the first events without a reload, and says if an interval is too long for them', async () => {
    const tenant = await arrangeGame();
    const player = await arrangePlayer(studio.app, tenant);
    const events = `/games/${tenant.tenantId}/events?scope=player&show=players`;
    const page = await studio.open(events);
    await page.getByText('No data in this time range.').waitFor();
    await sendAs(player, { eventKey: 'jump' });
    await page.getByRole('img', { name: /^Players per minute/ }).waitFor();
    await page.goto(`${events}&range=2025-01-01T00:00Z/2026-06-01T00:00Z`);
    await page.getByText('The range is longer than 366 days.').waitFor();
    await page.getByRole('combobox', { name: 'Show' }).click();
    await page.getByRole('option', { name: 'Events', exact: true }).click();
    await page.getByText('No data in this time range.').waitFor();
  });

  test('shows and exports the time between two others, which a dialog asks for', async () => {
    const tenant = await arrangeGame();
    const player = await arrangePlayer(studio.app, tenant);
    const day = new Date(Date.now() - 10 * 86_400_000).toISOString().slice(0, 10);
    const older = { eventKey: 'older', occurredAt: `${day}T06:30:00.000Z` };
    await sendAs(player, older, { eventKey: 'newer' });
    const page = await studio.open(`/games/${tenant.tenantId}/events?scope=player&range=30d`, {
      timezoneId: 'Asia/Kathmandu',
    });
    await rowsBecome(page, 2);
    const range = page.getByRole('combobox', { name: 'Time range' });
    await range.click();
    await page.getByRole('option', { name: 'Between…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Between two times' });
    await dialog.getByLabel('From').fill(`${day}T11:45`);
    const to = dialog.getByLabel('To');
    await to.fill(`${day}T11:45`);
    await page.keyboard.press('Enter');
    await dialog.getByText('Enter a time after the first one.').waitFor();
    await becomes(() => to.evaluate((input) => input === document.activeElement), true);
    await assertAccessible(page, 'the choice of two times');
    await to.fill(`${day}T12:45`);
    await page.keyboard.press('Enter');
    await dialogCloses(page);
    await rowsBecome(page, 1);
    await page.getByRole('cell', { name: 'older' }).waitFor();
    await page.getByRole('img', { name: /^Events per minute: older from 0 to 1, last 0$/ }).waitFor();
    assert.match(await range.inputValue(), /, 11:45 AM\s–\s12:45 PM$/);
    const interval = `${day}T06:00Z/${day}T07:00Z`;
    assert.equal(new URL(page.url()).searchParams.get('range'), interval);
    const [download] = await Promise.all([page.waitForEvent('download'), startExport(page)]);
    const [, ...lines] = (await readFile(await download.path(), 'utf8')).trim().split('\n');
    assert.deepEqual(
      lines.map((line) => line.includes('older')),
      [true],
    );

    await range.click();
    await page.getByRole('option', { name: 'Between…' }).click();
    await becomes(() => to.inputValue(), `${day}T12:45`);
    await to.fill(`${day}T12:00`);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'No event matches the filters' }).waitFor();
    await page.getByRole('button', { name: 'Remove the filters' }).click();
    await page.getByRole('cell', { name: 'newer' }).waitFor();
    await page.goto(`/games/${tenant.tenantId}/events?scope=player&range=${day}/${day}`);
    await becomes(() => range.inputValue(), 'Last hour');
  });

  test('limits matches, audit records and alerts to the time between two others too', async () => {
    const page = await studio.open(studio.game);
    const workspace = `/workspaces/${studio.tenant.workspaceId}`;
    for (const [path, list] of [
      [`${studio.game}/matches`, '/matches'],
      [`${studio.game}/audit`, '/audit-records'],
      [`${workspace}/audit`, '/audit-records'],
      [`${workspace}/alerts`, '/alerts'],
    ] as const) {
      const limits = { from: '2026-01-02T03:04:00.000Z', to: '2026-01-03T04:05:00.000Z' };
      const asked = page.waitForRequest((request) => {
        const { pathname, searchParams } = new URL(request.url());
        return pathname.endsWith(list) && searchParams.get('limit') === '100' && searchParams.has('from');
      });
      await page.goto(`${path}?range=2026-01-02T03:04Z/2026-01-03T04:05Z`);
      const { searchParams } = new URL((await asked).url());
      assert.deepEqual({ from: searchParams.get('from'), to: searchParams.get('to') }, limits, path);
      await becomes(
        () =>
          page
            .getByRole('combobox', { name: 'Time' })
            .inputValue()
            .then((text) => /Jan 2.*Jan 3/.test(text)),
        true,
      );
    }
  });

  test('removes the filters, but not the scope and the time', async () => {
    const page = await studio.open(`${studio.game}/events?scope=player&range=24h&eventValue=never`);
    await becomes(() => page.getByLabel('Event value').inputValue(), 'never');
    await page.getByRole('button', { name: 'Remove the filters' }).click();
    await page.getByRole('cell', { name: 'jump' }).waitFor();
    assert.equal(new URL(page.url()).search, '?scope=player&range=24h');
  });

  test('shows new events automatically while the live tail is on', async () => {
    const page = await studio.open(`${studio.game}/events?scope=player&live=true`);
    await page.getByRole('cell', { name: 'jump' }).waitFor();
    await send({ eventKey: 'arrived_live' });
    await page.getByRole('cell', { name: 'arrived_live' }).waitFor();
  });

  test('keeps the rows of the live tail while the pointer is in them, and says how many events are newer', async () => {
    const page = await studio.open(`${studio.game}/events?scope=player&live=true`);
    await page.getByRole('cell', { name: 'jump' }).hover();
    await send({ eventKey: 'arrived_while_reading' });
    const arrived = page.getByRole('cell', { name: 'arrived_while_reading' });
    const newer = page.getByRole('button', { name: '1 new event' });
    await newer.waitFor();
    await newer.hover();
    await page.waitForResponse('**/events?scope=player*');
    await assertAccessible(page, 'the live tail while it waits');
    assert.equal(await arrived.count(), 0);
    await newer.click();
    await arrived.waitFor();
    await newer.waitFor({ state: 'detached' });
    await send({ eventKey: 'arrived_while_reading' });
    await newer.waitFor();
    await page.mouse.move(0, 0);
    await countBecomes(arrived, 2);
    await countBecomes(newer, 0);
    await page.getByRole('region', { name: 'Events' }).focus();
    await page.keyboard.press('ArrowDown');
    await send({ eventKey: 'arrived_while_reading' });
    await newer.waitFor();
    assert.equal(await arrived.count(), 2);
  });

  test('shows the clock time, and the relative time in its tip', async () => {
    const page = await studio.open(`${studio.game}/events?scope=player`);
    const time = page.getByRole('row', { name: /jump/ }).locator('time');
    assert.match(await time.innerText(), /^\d+:\d\d:\d\d\s[AP]M$/);
    await time.hover();
    await page
      .getByRole('tooltip')
      .filter({ hasText: /^(now|\d+ \w+\. ago) · \w+ \d+, \d{4}.*:\d\d:\d\d/ })
      .waitFor();
  });

  test('shows the events of the time that the reader has zoomed to', async () => {
    const page = await studio.open(`${studio.game}/events?scope=player&range=24h`);
    const chart = page.getByRole('img', { name: /^Events per hour/ });
    const plot = (await chart.locator('.u-over').boundingBox())!;
    const pointAt = (part: number) => page.mouse.move(plot.x + plot.width * part, plot.y + plot.height / 2);
    await pointAt(0.3);
    await page.mouse.down();
    await pointAt(0.6);
    await page.mouse.up();
    await page.getByRole('button', { name: 'Show the events of this time' }).click();
    await page.getByRole('heading', { name: 'No event matches the filters' }).waitFor();
    const [from, to] = new URL(page.url()).searchParams
      .get('range')!
      .split('/')
      .map((time) => Date.parse(time));
    const hours = [Date.now() - from!, Date.now() - to!].map((time) => time / 3_600_000);
    // A third of 24 hours, and the whole hours of its ends.
    assert.ok(hours[0]! > 14 && hours[0]! < 19 && hours[1]! > 7 && hours[1]! < 11, hours.join(' to '));
  });

  test('has room for some events below the chart in a small window', async () => {
    const tenant = await arrangeGame();
    const player = await arrangePlayer(studio.app, tenant);
    await sendAs(player, ...Array.from({ length: 12 }, () => ({ eventKey: 'jump' })));
    const page = await studio.open(`/games/${tenant.tenantId}/events?scope=player`, {
      viewport: { width: 720, height: 450 },
    });
    await page.getByRole('cell', { name: 'jump' }).first().waitFor();
    await becomes(
      async () => (await page.getByRole('region', { name: 'Events' }).boundingBox())!.height > 240,
      true,
    );
  });

  test('exports the 24 hours that the live tail shows', async () => {
    const occurredAt = new Date(Date.now() - 3 * 3_600_000).toISOString();
    await send({ eventKey: 'three_hours_old', occurredAt });
    const page = await studio.open(`${studio.game}/events?scope=player&live=true&eventKey=three_hours_old`);
    await page.getByRole('cell', { name: 'three_hours_old' }).waitFor();
    const [download] = await Promise.all([page.waitForEvent('download'), startExport(page)]);
    assert.match(await readFile(await download.path(), 'utf8'), /three_hours_old/);
  });

  test('counts events over time as a chart and as a table', async () => {
    const page = await studio.open(`${studio.game}/events?scope=player`);
    await page.getByRole('img', { name: /^Events per minute: .*jump from 0 to 1/ }).waitFor();
    await page.getByRole('button', { name: 'View as table' }).click();
    await page.getByRole('columnheader', { name: 'jump' }).waitFor();
  });

  test('keeps at least one column', async () => {
    const page = await studio.open(`${studio.game}/events?scope=player`);
    await page.getByRole('button', { name: 'Choose columns' }).click();
    const shown = page.getByRole('menuitemcheckbox', { checked: true });
    await shown.first().waitFor();
    for (let count = await shown.count(); count > 1; count--) {
      await shown.first().click();
      await countBecomes(shown, count - 1);
    }
    await becomes(() => shown.isDisabled(), true);
    // Tables without the choice have all of their columns.
    await page.goto(`${studio.game}/players/${ada.playerId}?tab=events`);
    await page.getByRole('columnheader', { name: 'Event', exact: true }).waitFor();
  });

  test('names the zone of the times', async () => {
    const page = await studio.open(`${studio.game}/events?scope=player`, { timezoneId: 'Asia/Tokyo' });
    await page.getByRole('button', { name: 'View as table' }).click();
    await page.getByRole('columnheader', { name: 'Time (GMT+9)' }).waitFor();
  });

  test('shows the most frequent keys as lines, and all others as one line', async () => {
    const tenant = await arrangeGame();
    const player = await arrangePlayer(studio.app, tenant);
    const occurredAt = new Date(Date.now() - 300_000).toISOString();
    const keys = ['one', 'two', 'three', 'four', 'five', 'six', 'seven'];
    const body = keys.flatMap((eventKey, index) =>
      Array.from({ length: index + 1 }, (_, copy) => ({
        eventKey,
        playerId: player.playerId,
        occurredAt,
        idempotencyKey: `${eventKey}-${copy}`,
      })),
    );
    const { status, text } = await studio.app.http.post(
      '/api/game/player-events',
      { events: body },
      player.caller,
    );
    assert.equal(status, 201, text);
    const page = await studio.open(`/games/${tenant.tenantId}/events?scope=player`);
    const lines =
      'seven from 0 to 7; six from 0 to 6; five from 0 to 5; four from 0 to 4; All others from 0 to 6';
    const chart = page.getByRole('img', { name: /^Events per minute: / });
    assert.match(
      (await chart.getAttribute('aria-label'))!.replaceAll(/, last \d+( so far)?/g, ''),
      new RegExp(lines),
    );
    await page.goto(`/games/${tenant.tenantId}`);
    await page
      .getByRole('img', { name: /^Events per minute: .*Player events from 0 to 28, last 0 so far$/ })
      .waitFor();
  });

  test('shows the players or the sum of the values over time, in the URL', async () => {
    const tenant = await arrangeGame();
    const occurredAt = new Date(Date.now() - 300_000).toISOString();
    for (const value of [-30, 4]) {
      const player = await arrangePlayer(studio.app, tenant);
      const events = [
        { eventKey: 'coins', value, idempotencyKey: `1 of ${value}` },
        { eventKey: 'coins', value, idempotencyKey: `2 of ${value}` },
        { eventKey: 'jump', idempotencyKey: `3 of ${value}` },
      ].map((event) => ({ ...event, playerId: player.playerId, occurredAt }));
      const { status, text } = await studio.app.http.post(
        '/api/game/player-events',
        { events },
        player.caller,
      );
      assert.equal(status, 201, text);
    }
    const page = await studio.open(`/games/${tenant.tenantId}/events?scope=player`);
    const show = page.getByRole('combobox', { name: 'Show' });
    assert.equal(await show.inputValue(), 'Events');
    await show.click();
    await page.getByRole('option', { name: 'Players' }).click();
    await page.getByRole('img', { name: /^Players per minute: Players from 0 to 2, / }).waitFor();
    await show.click();
    await page.getByRole('option', { name: 'Sum of values' }).click();
    const sums = page.getByRole('img', { name: /^Sum of values per minute: Sum of values from -52 to 0, / });
    await sums.waitFor();
    await page.reload();
    await sums.waitFor();
    assert.equal(new URL(page.url()).search, '?scope=player&show=valueSum');
    await page.getByLabel('Event key').fill('jump');
    await page.getByText('No data in this time range.').waitFor();
    await assertAccessible(page, 'a chart without data');
    await show.click();
    await page.getByRole('option', { name: 'Events' }).click();
    await page.getByRole('img', { name: /^Events per minute: jump from 0 to 2, / }).waitFor();
    assert.equal(new URL(page.url()).search, '?scope=player&eventKey=jump');
  });

  test('says that a query took too long, and does not send it again by itself', async () => {
    const page = await studio.open(`${studio.game}/events?scope=player`);
    let queries = 0;
    await page.route('**/queries', (route) => {
      queries++;
      const detail = 'The query took longer than 15 seconds. Ask for a shorter range.';
      return route.fulfill({ status: 503, json: { code: 'query_timeout', detail } });
    });
    await page.getByRole('combobox', { name: 'Show' }).click();
    await page.getByRole('option', { name: 'Players' }).click();
    await page.getByText('The chart could not be loaded').waitFor();
    await page.getByText('Ask for a shorter range').waitFor();
    assert.equal(queries, 1);
    await page.unroute('**/queries');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('img', { name: /^Players per minute: / }).waitFor();
  });

  test('says that the next page failed, and loads it when the reader asks for it', async () => {
    const page = await studio.open(`${studio.game}/events?scope=player`);
    // Otherwise the page that is replaced may ask for the next rows too.
    await page.getByRole('cell', { name: 'jump' }).first().waitFor();
    const asked: string[] = [];
    await page.route('**/events?*limit=200*', async (route) => {
      const cursor = new URL(route.request().url()).searchParams.get('cursor');
      if (cursor === null) {
        const answer = await route.fetch();
        const first = await answer.json();
        return route.fulfill({ json: { ...first, hasMore: true, nextCursor: 'next' } });
      }
      asked.push(cursor);
      if (asked.length > 1) return route.fulfill({ json: { items: [], hasMore: false } });
      const problem = { type: 'about:blank', title: 'Too many', status: 429, code: 'rate_limited' };
      return route.fulfill({
        status: 429,
        contentType: 'application/problem+json',
        body: JSON.stringify({ ...problem, detail: 'Send fewer requests.' }),
      });
    });
    await page.reload();
    const alert = page.getByRole('alert').filter({ hasText: 'More rows of Events could not be loaded' });
    await alert.getByText('Send fewer requests.').waitFor();
    // A loop of requests would send the next one at once.
    await page.getByRole('cell', { name: 'jump' }).first().waitFor();
    assert.equal(asked.length, 1);
    await alert.getByRole('button', { name: 'Try again' }).click();
    await alert.waitFor({ state: 'detached' });
    await becomes(async () => asked.length, 2);
  });

  test('opens a match by its id in the command palette, and all of its events, at any time', async () => {
    const tenant = await arrangeGame();
    const player = await arrangePlayer(studio.app, tenant);
    const { playerId } = player;
    const { body: match } = await studio.app.http.post(
      '/api/game/matches',
      { players: [{ playerId }], mode: 'duel' },
      tenant,
    );
    const { matchSessionId } = match;
    const event = {
      matchSessionId,
      matchPlayerId: match.players[0].matchPlayerId,
      playerId,
      eventKey: 'flag_captured',
      occurredAt: new Date(Date.now() - 40 * 86_400_000).toISOString(),
      idempotencyKey: 'old',
    };
    const { status, text } = await studio.app.http.post(
      '/api/game/events',
      { events: [event] },
      player.caller,
    );
    assert.equal(status, 201, text);

    const page = await studio.open(`/games/${tenant.tenantId}/players`, { role: 'viewer' });
    await page.getByRole('row', { name: /Mock/ }).waitFor();
    await page.keyboard.press('Control+k');
    const input = page.getByRole('combobox', { name: 'Go to a page, a game, a player or a match' });
    await input.fill(playerId);
    await page.getByRole('option', { name: /Player$/ }).waitFor();
    await countBecomes(page.getByRole('option'), 1);
    await page.route('**/matches/*', (route) => route.fulfill({ status: 500, body: '{}' }));
    await input.fill(matchSessionId);
    await page.getByRole('alert').getByText('The search failed.').waitFor();
    await page.unroute('**/matches/*');
    await page.reload();
    await page.getByRole('row', { name: /Mock/ }).waitFor();
    await page.keyboard.press('Control+k');
    await input.fill(` ${matchSessionId.toUpperCase()} `);
    await page.getByRole('option', { name: 'Match · duel' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/matches/${matchSessionId}`);

    await page.getByRole('link', { name: 'Open all match events' }).click();
    await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
    await page.getByRole('row', { name: /flag_captured/ }).waitFor();
    assert.equal(await page.getByRole('combobox', { name: 'Time range' }).inputValue(), 'Any time');
    await countBecomes(page.getByRole('img', { name: /^Events per/ }), 0);
    await page.getByRole('button', { name: 'Export' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'As CSV' }).click(),
    ]);
    assert.match(await readFile(await download.path(), 'utf8'), /flag_captured/);
  });

  test('says that archived events cannot be read', async () => {
    const { tenantId } = studio.tenant;
    await studio.app.owner.query(
      `INSERT INTO event_archives (tenant_id, scope, month, part, rows, bytes, first_at, last_at, manifest_hash, archived_at)
       SELECT $1, 'match', date_trunc('month', at)::date, 1, 1, 1, at, at, '\\x00', now()
       FROM (SELECT now() - interval '20 days' AS at) event`,
      [tenantId],
    );
    const page = await studio.open(`${studio.game}/events?scope=match&range=30d`);
    await page.getByText('Events could not be loaded').waitFor();
    await page
      .getByText(/archive/)
      .first()
      .waitFor();
    await studio.app.owner.query('DELETE FROM event_archives WHERE tenant_id = $1', [tenantId]);
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).last().click();
    await page.getByText('No events in this time range').waitFor();
  });

  test('exports the filtered events as CSV', async () => {
    const page = await studio.open(`${studio.game}/events?scope=player&eventKey=jump`);
    await page.getByRole('button', { name: 'Export' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'As CSV' }).click(),
    ]);
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\n');
    assert.equal(lines.length, 2);
    assert.match(lines[1]!, /jump/);
  });

  test('continues with an export on other pages, shows its progress there, and cancels it', async () => {
    const proxy = await startHoldingProxy();
    const page = await exportOverProxy(proxy);
    await page.getByRole('link', { name: 'Players' }).click();
    await page.getByRole('heading', { name: 'Players', exact: true }).waitFor();
    const exports = page.getByRole('region', { name: 'Exports' });
    await exports.getByText(/^events\.csv: [1-9]/).waitFor();
    const [question] = await Promise.all([
      page.waitForEvent('dialog'),
      page.close({ runBeforeUnload: true }),
    ]);
    assert.equal(question.type(), 'beforeunload');
    await question.dismiss();
    await page.getByRole('status').getByText('Exporting events.csv.').waitFor();
    await assertAccessible(page, 'a running export');
    const [download] = await Promise.all([page.waitForEvent('download'), proxy.release()]);
    assert.match(await readFile(await download.path(), 'utf8'), /level_completed[^]*\n$/);
    await exports.waitFor({ state: 'detached' });

    await page.getByRole('link', { name: 'Events' }).click();
    await startExport(page);
    await exports.getByText(/^events\.csv: [1-9]/).waitFor();
    await exports.getByRole('button', { name: 'Cancel' }).click();
    await exports.waitFor({ state: 'detached' });
  });

  test('says that an export was cut off when the server stops, and saves no file', async () => {
    const proxy = await startHoldingProxy();
    const page = await exportOverProxy(proxy);
    let saved = 0;
    page.on('download', () => saved++);
    const exports = page.getByRole('region', { name: 'Exports' });
    await exports.getByText(/^events\.csv: [1-9]/).waitFor();
    proxy.stop();
    const alert = exports.getByRole('alert');
    await alert.getByText('events.csv was not exported').waitFor();
    await alert
      .getByText('The connection was lost before the end. No file was saved. Export again.')
      .waitFor();
    // The notice must not cover the exports.
    await page.getByRole('status').getByText('This page could not be updated.').waitFor();
    await exports.getByRole('button', { name: 'Close' }).click();
    await exports.waitFor({ state: 'detached' });
    assert.equal(saved, 0);
  });
});

describe('the rejected events', () => {
  test('lead from the first steps to the definition that is missing', async () => {
    const tenant = await arrangeTenant(studio.app, { workspaceId: studio.tenant.workspaceId });
    const player = await arrangePlayer(studio.app, tenant);
    const page = await studio.open(`/games/${tenant.tenantId}/events/rejected`);
    await page.getByRole('heading', { name: 'No event was refused' }).waitFor();
    const sendTypo = async (idempotencyKey: string) =>
      studio.app.http.post(
        '/api/game/player-events',
        {
          events: [
            {
              playerId: player.playerId,
              eventKey: 'door_opened',
              eventValue: 'red',
              occurredAt: new Date().toISOString(),
              idempotencyKey,
            },
          ],
        },
        player.caller,
      );
    for (const key of ['door-1', 'door-2']) assert.equal((await sendTypo(key)).status, 422);

    await page.goto(`/games/${tenant.tenantId}/first-run`);
    await page.getByText('The game has sent events, but all were refused.').waitFor();
    await page.getByRole('link', { name: 'See the reasons' }).click();
    await page
      .getByRole('row', { name: /door_opened · red No event definition has this key and value.* 2$/ })
      .click();
    const details = page.getByRole('dialog', { name: 'Rejected events' });
    await page.reload();
    await details.getByText('door-2').waitFor();
    await details.getByRole('button', { name: 'Create the definition' }).click();
    const form = page.getByRole('dialog', { name: 'Create a definition' });
    await form.getByLabel('Category').fill('doors');
    // What was typed stays while the panel closes and opens.
    await page.goBack();
    await details.waitFor({ state: 'detached' });
    await page.goForward();
    await details.waitFor();
    await page.keyboard.press('Escape');
    const question = page.getByRole('dialog', { name: 'Leave without saving' });
    await question.waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    assert.equal(await form.getByLabel('Category').inputValue(), 'doors');
    assert.equal(await form.getByLabel('Event key').inputValue(), 'door_opened');
    assert.equal(await form.getByLabel('Event value').inputValue(), 'red');
    assert.equal(await form.getByRole('combobox', { name: 'Scope' }).inputValue(), 'Player events');
    await assertAccessible(page, 'the definition of a rejected event');
    await form.getByRole('button', { name: 'Create the definition' }).click();
    await form.waitFor({ state: 'detached' });
    assert.equal((await sendTypo('door-3')).status, 201);

    await page.goto(`/games/${tenant.tenantId}/events?scope=player`);
    await page.getByRole('cell', { name: 'door_opened · red' }).waitFor();
    const viewer = await studio.open(`/games/${tenant.tenantId}/events?scope=match`, { role: 'viewer' });
    await viewer.getByRole('link', { name: 'Rejected events · 2' }).click();
    await viewer.getByRole('row', { name: /door_opened/ }).click();
    await viewer.getByRole('dialog').getByText('door-2').waitFor();
    assert.equal(await viewer.getByRole('button', { name: 'Create the definition' }).count(), 0);
  });
});

/** A server in front of the application that sends the first half of an export, and holds the rest. */
async function startHoldingProxy() {
  let rest: (() => void)[] = [];
  const server = createServer((request, response) => {
    const { 'accept-encoding': _, ...headers } = request.headers;
    const upstream = new URL(request.url!, studio.app.url);
    const forwarded = forward(upstream, { method: request.method!, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      if (!upstream.pathname.endsWith('/events/export')) return void answer.pipe(response);
      void buffer(answer).then((body) => {
        const half = Math.floor(body.length / 2);
        response.write(body.subarray(0, half));
        rest.push(() => response.end(body.subarray(half)));
      });
    });
    forwarded.on('error', () => response.destroy());
    request.pipe(forwarded);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = (): void => {
    server.close();
    server.closeAllConnections();
  };
  after(stop);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop,
    release: async () => {
      for (const send of rest) send();
      rest = [];
    },
  };
}

async function startExport(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('menuitem', { name: 'As CSV' }).click();
}

/** Signs in over the proxy, and starts an export. */
async function exportOverProxy({ url }: { url: string }): Promise<Page> {
  const page = await studio.open(`${studio.game}/events?scope=player`, { baseURL: url });
  await page.getByRole('cell', { name: 'jump' }).first().waitFor();
  await startExport(page);
  return page;
}
