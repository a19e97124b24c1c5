import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { eventually } from '../../server/src/testing/eventually.ts';
import { startTestApp } from '../../server/src/testing/test-app.ts';
import { startFaultProxy, type FaultRates } from '../conformance/fault-proxy.ts';
import { createRandom } from '../conformance/random.ts';
import { loadPage, servePage, startBrowser } from './browser.ts';
import { buildClient } from './build.ts';
import { arrangeGame, countEvents } from './game.ts';

/** `npm run test:delivery` runs ten seeds with more events. */
const IS_LONG = process.env['GUILDHALL_LONG_DELIVERY'] === 'on';
const SEEDS = IS_LONG ? 10 : 2;
const EVENTS_OF_A_TAB = IS_LONG ? 2_000 : 200;
const TABS = 5;
const FAULTS = {
  match: 'POST /api/',
  rates: { delay: 0.1, cut: 0.05, drop_answer: 0.1, cut_answer: 0.05, answer_503: 0.05 },
};

type StorageName = 'indexedDb' | 'localStorage' | 'memory';

const origin = await servePage('browser-page.html', buildClient());
const app = await startTestApp({ env: { CORS_ORIGINS: origin } });
const proxy = await startFaultProxy(app.url);
after(() => proxy.close());
const browser = await startBrowser();

/** The functions of browser-page.html. */
interface PageWindow {
  open_(options: object): Promise<void>;
  add(options: object): Promise<void>;
  fill(): void;
  free(): void;
  countStored(): Promise<number>;
  queue: { flush(): Promise<object>; addPlayerEvent(event: object): Promise<void> };
}

interface Tab {
  number: number;
  page: Page;
  accepted: number;
  isDone: boolean;
}

/** Five tabs of one browser that add events, and everything that happens to tabs. */
async function playInTabs(
  seed: number,
  events: StorageName,
  { faults = FAULTS, only }: { faults?: Omit<FaultRates, 'seed'>; only?: string } = {},
): Promise<{ tenantId: string; log: string[] }> {
  const { gameKey, tenantId } = await arrangeGame(app);
  const random = createRandom(seed);
  const context = await browser.newContext();
  const start = Date.now() - 10_000_000;
  const log: string[] = [];
  const refused: string[] = [];

  async function openPage(options: { batchAfterMs?: number } = {}): Promise<Page> {
    const page = await context.newPage();
    await loadPage(page, origin);
    await page.evaluate((given) => (window as unknown as PageWindow).open_(given), {
      baseUrl: proxy.url,
      gameKey,
      session: 'localStorage',
      events,
      batchAfterMs: 30,
      ...options,
    });
    return page;
  }

  /** Opens a tab, or opens it again where its events are not known to be safe. */
  async function openTab(tab: Omit<Tab, 'page'> & { page?: Page }): Promise<Tab> {
    const page = await openPage();
    const opened = Object.assign(tab, { page });
    page.on('console', (message) => {
      const [word, number, count] = message.text().split(' ');
      if (word === 'refused') refused.push(message.text());
      if (Number(number) !== tab.number) return;
      if (word === 'accepted') tab.accepted = Math.max(tab.accepted, Number(count));
      if (word === 'ready') tab.isDone = true;
    });
    const range = { tab: tab.number, from: tab.accepted, to: EVENTS_OF_A_TAB, start };
    // A killed page does not answer.
    page.evaluate((given) => (window as unknown as PageWindow).add(given), range).catch(() => {});
    return opened;
  }

  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const happenings: Record<string, (tab: Tab) => Promise<void>> = {
    kill: async (tab) => {
      const session = await context.newCDPSession(tab.page);
      await Promise.race([session.send('Page.crash').catch(() => {}), pause(500)]);
    },
    hide: async (tab) => void (await tab.page.goto('about:blank')),
    offline: async () => {
      await context.setOffline(true);
      await pause(100 + random() * 300);
      await context.setOffline(false);
    },
    full: async (tab) => fillAndFree(context, tab, events, () => pause(200)),
  };

  proxy.randomize({ ...faults, seed });
  const tabs: Tab[] = [];
  for (let number = 0; number < TABS; number++)
    tabs.push(await openTab({ number, accepted: 0, isDone: false }));

  for (let round = 0; round < (IS_LONG ? 40 : 8); round++) {
    await pause(50 + random() * 200);
    const names = only ? [only] : Object.keys(happenings);
    // Each kind happens in each run.
    const name = names[round < names.length ? round : Math.floor(random() * names.length)]!;
    const tab = tabs[Math.floor(random() * TABS)]!;
    log.push(`${name} ${tab.number}`);
    await happenings[name]!(tab).catch(() => {});
    for (const one of tabs) {
      const isAlive = await Promise.race([
        one.page.evaluate(() => Boolean((window as unknown as PageWindow).queue)).catch(() => false),
        pause(2_000).then(() => false),
      ]);
      if (isAlive) continue;
      await one.page.close().catch(() => {});
      await openTab(one);
    }
  }
  await eventually(() => tabs.every(({ isDone }) => isDone));
  for (const { page } of tabs) await page.close();

  // The next page delivers the waiting events.
  proxy.randomize(undefined);
  const last = await openPage();
  await eventually(() =>
    last.evaluate(async () => {
      const { queue, countStored } = window as unknown as PageWindow;
      await queue.flush();
      return (await countStored()) === 0;
    }),
  );
  await context.close();
  assert.deepEqual(refused, []);
  return { tenantId, log };
}

/** Fills the storage of the origin, so that nothing can be written, and frees it again. */
async function fillAndFree(
  context: BrowserContext,
  { page }: Tab,
  events: StorageName,
  work: () => Promise<unknown>,
): Promise<void> {
  const session = await context.newCDPSession(page);
  if (events === 'localStorage') await page.evaluate(() => (window as unknown as PageWindow).fill());
  else await session.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 1 });
  await work();
  if (events === 'localStorage') await page.evaluate(() => (window as unknown as PageWindow).free());
  else await session.send('Storage.overrideQuotaForOrigin', { origin });
}

const ALL = TABS * EVENTS_OF_A_TAB;

describe('events from five tabs of Chromium, with kills, offline phases, a full storage and page hides', () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const storage = seed % 2 === 1 ? 'indexedDb' : 'localStorage';
    test(
      `stores each of ${ALL} events exactly once (${storage}, seed ${seed})`,
      { timeout: 600_000 },
      async (context) => {
        const { tenantId, log } = await playInTabs(seed, storage);
        context.diagnostic(log.join(', '));
        const stored = await countEvents(app.owner, tenantId);
        if (IS_LONG) console.log(`seed ${seed} of ${SEEDS}: ${stored.rows} of ${ALL} events stored`);
        assert.deepEqual(stored, { rows: ALL, distinct: ALL });
      },
    );
  }

  test('loses events without their storage, so this test can fail', async () => {
    // With each of their requests cut, all events wait whenever a tab is killed.
    const faults = { match: 'POST /api/game/player-events', rates: { cut: 1 } };
    const { tenantId } = await playInTabs(1, 'memory', { faults, only: 'kill' });
    const { distinct } = await countEvents(app.owner, tenantId);
    assert.ok(distinct < ALL, `${distinct} events`);
  });

  test('doubles events without the deduplication of the server, so this test can fail', async () => {
    let request = 0;
    // Each request names its events anew, so that the server knows none of them.
    proxy.rewrite((body) => {
      request++;
      return body.replaceAll('"idempotencyKey":"', `"idempotencyKey":"${request}-`);
    });
    const { tenantId } = await playInTabs(1, 'localStorage');
    proxy.rewrite(undefined);
    const { rows, distinct } = await countEvents(app.owner, tenantId);
    assert.equal(distinct, ALL);
    assert.ok(rows > distinct, `${rows} rows of ${distinct} events`);
  });
});

describe('a page that is left', () => {
  test('sends its waiting events with a request that outlives it', async () => {
    const { gameKey, tenantId } = await arrangeGame(app);
    const page = await (await browser.newContext()).newPage();
    await loadPage(page, origin);
    await page.evaluate((given) => (window as unknown as PageWindow).open_(given), {
      baseUrl: app.url,
      gameKey,
      session: 'memory',
      events: 'memory',
      // Only the page hide sends them.
      batchAfterMs: 3_600_000,
    });
    await page.evaluate(() => {
      const { queue } = window as unknown as PageWindow;
      return Promise.all([1, 2, 3].map((value) => queue.addPlayerEvent({ eventKey: 'last', value })));
    });
    assert.equal((await countEvents(app.owner, tenantId)).rows, 0);
    await page.goto('about:blank');
    await eventually(async () => (await countEvents(app.owner, tenantId)).rows === 3);
    await page.context().close();
  });
});
