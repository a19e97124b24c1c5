import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Locator } from 'playwright-core';
import {
  arrangeAccount,
  arrangePlatformAdmin,
  arrangePlayer,
  arrangeTenant,
} from '../../server/src/testing/arrange.ts';
import { assertAccessible, becomes, COLOR_RULES, startStudio } from './browser.ts';
import { layoutDefects } from './layout.ts';

const studio = await startStudio();
const { app, tenant, game } = studio;
const workspace = `/workspaces/${tenant.workspaceId}`;
const ada = await arrangePlayer(app, tenant, 'ada');
await app.owner.query('UPDATE tenants SET auto_create_definitions = true WHERE id = $1', [tenant.tenantId]);
await app.http.post(
  '/api/game/player-events',
  {
    events: [
      {
        playerId: ada.playerId,
        eventKey: 'jump',
        occurredAt: new Date().toISOString(),
        idempotencyKey: 'event-1',
      },
      { playerId: ada.playerId, eventKey: 'jump', idempotencyKey: 'refused' },
    ],
  },
  ada.caller,
);
const { body: match } = await app.http.post(
  '/api/game/matches',
  { players: [{ playerId: ada.playerId }], mode: 'duel', metadata: { map: 'harbor' } },
  { gameKey: tenant.gameKey },
);

const admin = await arrangeAccount(app, tenant, 'admin');
const { body: webhook } = await app.http.post(
  `/api/workspaces/${tenant.workspaceId}/webhooks`,
  { url: 'https://hooks.example.com/guildhall' },
  admin,
);
await app.http.post(`/api/workspaces/${tenant.workspaceId}/webhooks/${webhook.id}/test`, undefined, admin);
const { body: platformWebhook } = await app.http.post(
  '/api/admin/webhooks',
  { url: 'https://hooks.example.com/platform' },
  await arrangePlatformAdmin(app),
);

const stranger = await arrangeTenant(app);
const strangeMatch = await app.http.post('/api/game/matches', {}, { gameKey: stranger.gameKey });

const PAGES: [path: string, heading: string][] = [
  [game, 'Overview'],
  [`${game}/first-run`, 'First steps'],
  [`${game}/players`, 'Players'],
  [`${game}/players?search=nobody`, 'Players'],
  [`${game}/players/${ada.playerId}`, 'ada'],
  [`${game}/matches`, 'Matches'],
  [`${game}/matches/${match.matchSessionId}`, 'Match · duel'],
  [`${game}/events?scope=player`, 'Events'],
  [`${game}/events/rejected`, 'Rejected events'],
  [`${game}/definitions`, 'Definitions'],
  [`${game}/wallet`, 'Wallet ledger'],
  [`${game}/keys`, 'Keys'],
  [`${game}/providers`, 'Sign-in providers'],
  [`${game}/settings`, 'Game settings'],
  [`${game}/audit`, 'Audit log'],
  [workspace, 'Harbor Games'],
  [`${workspace}/members`, 'Members'],
  [`${workspace}/usage`, 'Usage and plan'],
  [`${workspace}/alerts`, 'Alerts'],
  [`${workspace}/webhooks`, 'Webhooks'],
  [`${workspace}/webhooks/${webhook.id}`, 'Webhook'],
  [`${workspace}/audit`, 'Workspace audit log'],
  ['/workspaces', 'Workspaces'],
  ['/account', 'Account and security'],
  ['/platform/workspaces', 'All workspaces'],
  [`/platform${workspace}`, 'Harbor Games'],
  ['/platform/players', 'Find a player'],
  [`/platform/players?search=${ada.playerId}`, 'Find a player'],
  ['/platform/deletion-receipts', 'Deletion receipts'],
  ['/platform/signing-keys', 'Signing keys'],
  ['/platform/webhooks', 'Platform webhooks'],
  [`/platform/webhooks/${platformWebhook.id}`, 'Webhook'],
  ['/platform/health', 'Health and jobs'],
  ['/platform/outbox', 'Outbox'],
  ['/platform/audit', 'All audit records'],
  [`${game}/nowhere`, 'Not found'],
];

/** Each page is loaded once. All rules are checked in each width, and the rules of colors also in the other color scheme. */
const LOOKS = [
  { viewport: { width: 1280, height: 800 }, colorScheme: 'light', rules: undefined },
  { viewport: { width: 1280, height: 800 }, colorScheme: 'dark', rules: COLOR_RULES },
  { viewport: { width: 320, height: 740 }, colorScheme: 'dark', rules: undefined },
  { viewport: { width: 320, height: 740 }, colorScheme: 'light', rules: COLOR_RULES },
] as const;

/** Opens one address after the other. */
const page = await studio.open('/account', { role: 'platformAdmin' });

async function settle(heading: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name: heading }).first().waitFor();
  await page.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' });
}

/** Waits until elements that fade from one color to another have the new one. */
const colorsChange = (): Promise<void> =>
  page.evaluate(async () => {
    const transitions = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
    await Promise.allSettled(transitions.map(({ finished }) => finished));
  });

/** Whether the page is wider than the window, also with the spaces between letters and words that WCAG 1.4.12 names. */
const widths = (): Promise<{ usual: boolean; spaced: boolean }> =>
  page.evaluate(() => {
    const isTooWide = () =>
      [document.documentElement, document.querySelector('main')!].some(
        ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth,
      );
    const usual = isTooWide();
    const spaces = new CSSStyleSheet();
    spaces.replaceSync('* { letter-spacing: 0.12em !important; word-spacing: 0.16em !important; }');
    document.adoptedStyleSheets = [spaces];
    const spaced = isTooWide();
    document.adoptedStyleSheets = [];
    return { usual, spaced };
  });

/** The buttons that are smaller than 24 px, the least of WCAG 2.2 without an exception. */
const smallButtons = (): Promise<string[]> =>
  page
    .locator('.mantine-Button-root, .mantine-ActionIcon-root, .mantine-CloseButton-root')
    .evaluateAll((buttons) =>
      buttons
        .filter((button) => button.checkVisibility() && button.ariaHidden !== 'true')
        .filter(({ clientHeight, clientWidth }) => Math.min(clientHeight, clientWidth) + 2 < 24)
        .map((button) => button.outerHTML),
    );

/** The columns that fit into the window of most phones, which is 390 px wide. */
const TABLES_ON_A_PHONE: Record<string, [label: string, columns: string[]]> = {
  [`${game}/matches`]: ['Matches', ['Match', 'Mode', 'State', 'Started']],
  [`${game}/definitions`]: ['Definitions', ['Event key', 'Event value', 'Scope', 'Active']],
  [`${game}/keys`]: ['Game keys', ['Name', 'State', 'Last used', 'Action']],
  [`${workspace}/members`]: ['Members', ['Email', 'Role', 'Action']],
  [`${workspace}/webhooks`]: ['Webhooks', ['URL', 'State']],
  [`${workspace}/webhooks/${webhook.id}`]: ['Deliveries', ['Event', 'State', 'Created']],
  '/platform/health': ['Job queues', ['Queue', 'Waiting', 'Failed']],
};

/** Checks that the table of the open page shows its most important columns without scrolling. */
async function assertColumnsFit(label: string, columns: string[]): Promise<void> {
  const heads = page.getByRole('region', { name: label }).getByRole('columnheader');
  const firstNames = async () =>
    (await heads.allInnerTexts()).filter((name) => name !== '').slice(0, columns.length);
  await becomes(firstNames, columns);
  const { x, width } = (await heads.filter({ hasText: columns.at(-1)! }).boundingBox())!;
  // The table ends at 378 px. The padding of the last cell may be cut off.
  assert.ok(x + width <= 378 + 8, `The column ends at ${x + width} px.`);
}

describe('every page', () => {
  const strange: string[] = [];
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).origin !== app.url)
      strange.push(request.url());
  });

  for (const [path, heading] of PAGES) {
    const address = path.replaceAll(/[0-9a-f-]{36}/g, '…');
    for (const { viewport, colorScheme, rules } of LOOKS)
      test(`has no accessibility violation: ${address}, ${colorScheme}, ${viewport.width} px`, async () => {
        if (page.url() !== new URL(path, app.url).href) await page.goto(path);
        await page.setViewportSize(viewport);
        await settle(heading);
        await page.emulateMedia({ colorScheme });
        await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
        await colorsChange();
        const what = `${path}, ${colorScheme}, ${viewport.width} px`;
        await assertAccessible(page, what, rules && [...rules]);
        assert.deepEqual(
          await widths(),
          { usual: false, spaced: false },
          'the page is not wider than the window',
        );
        assert.deepEqual(await smallButtons(), []);
      });

    test(`can be read and reached in narrow windows: ${address}`, async () => {
      for (const width of [1024, 768, 360]) {
        await page.setViewportSize({ width, height: 800 });
        await settle(heading);
        // The page is laid out again when it has noticed its new width.
        await becomes(async () => (await layoutDefects(page)).map((defect) => `${width} px: ${defect}`), []);
      }
    });

    const table = TABLES_ON_A_PHONE[path];
    if (table)
      test(`shows the most important columns of its table on a phone: ${address}`, async () => {
        await page.setViewportSize({ width: 390, height: 800 });
        await assertColumnsFit(...table);
      });
  }

  test('loads nothing from another server', () => {
    assert.deepEqual(strange, []);
  });
});

const showsAllColumns = (table: Locator): Promise<void> =>
  becomes(() => table.evaluate((region) => region.scrollWidth > region.clientWidth), false);

describe('the table of definitions', () => {
  test('shows all columns in a window of 1280 px', async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`${game}/definitions`);
    const table = page.getByRole('region', { name: 'Definitions' });
    await table.getByRole('switch').first().waitFor();
    await showsAllColumns(table);
  });
});

describe('the tables of keys', () => {
  test('show all columns in a window of 1280 px, and keep their names and buttons in view in one of 1024 px', async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`${game}/keys`);
    for (const name of ['Game keys', 'API keys']) {
      const keys = page.getByRole('region', { name });
      await keys.getByRole('columnheader', { name: 'Action' }).waitFor();
      await showsAllColumns(keys);
    }

    await page.setViewportSize({ width: 1024, height: 768 });
    const table = page.getByRole('region', { name: 'API keys' });
    const action = table.getByRole('columnheader', { name: 'Action' });
    const name = table.getByRole('columnheader', { name: 'Name' });
    const state = table.getByRole('columnheader', { name: 'State' });
    await action.waitFor();
    const endOf = async (element: Locator) => {
      const { x, width } = (await element.boundingBox())!;
      return Math.round(x + width);
    };
    const edge = await endOf(table);
    const [nameBefore, stateBefore] = [await endOf(name), await endOf(state)];
    assert.equal(await endOf(action), edge);
    await table.evaluate((element) => element.scrollTo(400, 0));
    await becomes(async () => (await endOf(state)) < stateBefore, true);
    assert.equal(await endOf(action), edge);
    assert.equal(await endOf(name), nameBefore);
  });
});

describe('the shade of a table that continues', () => {
  /** The contrast of its darkest or lightest part on the table, as WCAG computes it. */
  const contrast = (): Promise<number> =>
    page.evaluate(() => {
      const context = document.createElement('canvas').getContext('2d')!;
      const style = getComputedStyle(document.documentElement);
      const luminanceWith = (variable: string): number => {
        context.fillStyle = style.getPropertyValue(variable);
        context.fillRect(0, 0, 1, 1);
        const [red, green, blue] = [...context.getImageData(0, 0, 1, 1).data].map((value) =>
          value > 10 ? ((value / 255 + 0.055) / 1.055) ** 2.4 : value / 3294,
        );
        return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue! + 0.05;
      };
      const surface = luminanceWith('--gh-surface');
      const edge = luminanceWith('--gh-edge');
      return Math.max(surface, edge) / Math.min(surface, edge);
    });

  for (const colorScheme of ['light', 'dark'] as const)
    test(`can be seen in the ${colorScheme} theme`, async () => {
      await page.emulateMedia({ colorScheme });
      await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
      const seen = await contrast();
      assert.ok(seen > 1.4, String(seen));
    });
});

describe('an unknown address', () => {
  const nobody = '01a2069f-0000-7000-8000-000000000000';
  const ADDRESSES: [path: string, heading: string, next: string][] = [
    ['/nowhere', 'This page does not exist', 'Open the overview'],
    [`${game}/nowhere`, 'This page does not exist', 'Open the overview'],
    [`${game}/players/${nobody}`, 'This player does not exist', 'Open the players'],
    [`${game}/players/x`, 'This player does not exist', 'Open the players'],
    [`${game}/matches/${strangeMatch.body.matchSessionId}`, 'This match does not exist', 'Open the matches'],
    [`${workspace}/webhooks/${nobody}`, 'This webhook does not exist', 'Open the webhooks'],
    [`/games/${stranger.tenantId}/players`, 'This game does not exist', 'Open the overview'],
    [`/workspaces/${stranger.workspaceId}/members`, 'This workspace does not exist', 'Open the overview'],
  ];

  test('shows what does not exist, with the side bar of the last game and a way to continue', async () => {
    await page.setViewportSize(LOOKS[0].viewport);
    await page.goto(game);
    await settle('Overview');
    for (const [path, heading, next] of ADDRESSES) {
      await page.goto(path);
      await page.getByRole('heading', { level: 2, name: heading }).waitFor();
      const side = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Players' });
      await becomes(() => side.getAttribute('href'), `${game}/players`);
      await page.getByRole('link', { name: next }).click();
      await page.getByRole('heading', { level: 2, name: heading }).waitFor({ state: 'detached' });
    }
  });
});
