import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import { launchChromium } from '../../sdk/test/chromium.ts';
import { startServerProcess } from '../../server/benchmarks/server-process.ts';
import { median } from '../../server/src/testing/statistics.ts';
import { seedBigGame, type BigGame } from './measure-seed.ts';

/**
 * Measures the console with a big game in Chromium (docs/benchmarks.md): `npm run bench:console`. Each time is the median of the
 * runs, from the action to the frame that shows its result.
 */
const { values: options } = parseArgs({
  options: {
    players: { type: 'string', default: '1000000' },
    events: { type: 'string', default: '10000000' },
    definitions: { type: 'string', default: '5000' },
    deliveries: { type: 'string', default: '10000' },
    ledger: { type: 'string', default: '50000' },
    runs: { type: 'string', default: '5' },
    /** A folder that keeps the game: the next run with it fills nothing. */
    data: { type: 'string' },
  },
});
const runs = Number(options.runs);
const sizes = {
  players: Number(options.players),
  events: Number(options.events),
  definitions: Number(options.definitions),
  deliveries: Number(options.deliveries),
  ledger: Number(options.ledger),
};

interface Figure {
  what: string;
  value: number;
  unit: string;
  /** The value that it must not exceed. */
  goal?: number;
}
const figures: Figure[] = [];
/** The height of a row of a table, in pixels. */
const ROW_HEIGHT = 36;
const report = (what: string, value: number, unit: string, goal?: number): void => {
  figures.push({ what, value: Math.round(value), unit, ...(goal !== undefined && { goal }) });
  console.log(`${what}: ${Math.round(value)} ${unit}`);
};

/** Reports the median of the runs, and prints all of them. */
const reportTimes = (what: string, times: readonly number[], goal: number): void => {
  console.log(`${what}, each run: ${times.map((time) => Math.round(time)).join(', ')} ms`);
  report(what, median(times), 'ms', goal);
};

const folder = options.data && resolve(options.data);
if (folder) mkdirSync(folder, { recursive: true });
const server = await startServerProcess({ folder });
const browser = await launchChromium('--enable-precise-memory-info');
try {
  const game = await bigGame();
  const context = await browser.newContext({
    baseURL: server.url,
    viewport: { width: 1440, height: 900 },
  });
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  const requests = watchRequests(page);
  await signIn(page, game);
  await measureOverview(page, game);
  await measureClicks(page, game);
  await measureSearch(page, game);
  await measureScrolling(page, game);
  const slowest = requests().slice(0, 5);
  await measureVerification(await context.newPage(), game);
  for (const { path, ms } of slowest) console.log(`slowest request: ${ms} ms ${path}`);
  report('slowest request of the API', slowest[0]?.ms ?? NaN, 'ms');
} finally {
  await browser.close();
  await server.stop();
}
console.table(
  figures.map(({ what, value, unit, goal }) => ({
    what,
    value: `${value} ${unit}`,
    goal: goal === undefined ? '' : `at most ${goal} ${unit}`,
    reached: goal === undefined ? '' : value <= goal ? 'yes' : 'NO',
  })),
);

/** The game of the folder, or a new one. */
async function bigGame(): Promise<BigGame> {
  const file = folder && join(folder, 'game.json');
  if (file && existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as BigGame;
  const game = await seedBigGame(server, sizes);
  if (file) writeFileSync(file, JSON.stringify(game));
  return game;
}

/** The requests of the API with their times, the slowest first. Streams have no end, so they are left out. */
function watchRequests(page: Page): () => { path: string; ms: number }[] {
  const seen: { path: string; ms: number }[] = [];
  page.on('requestfinished', (request) => {
    const { pathname, search } = new URL(request.url());
    const { requestStart, responseStart } = request.timing();
    if (pathname.startsWith('/api/') && !pathname.endsWith('/stream'))
      seen.push({ path: pathname + search, ms: Math.round(responseStart - requestStart) });
  });
  return () => seen.toSorted((one, other) => other.ms - one.ms);
}

async function signIn(page: Page, { tenant, email, password }: BigGame): Promise<void> {
  await page.goto(`/sign-in?next=/games/${tenant.tenantId}`);
  await page.getByLabel('Email').fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
}

/** Resolves in the first frame in which the overview shows all figures. Playwright would look at it only every few 100 ms. */
function completeOverview(): Promise<number> {
  return new Promise((resolve) => {
    const look = (): void => {
      const isOverview = document.querySelector('h1')?.textContent === 'Overview';
      if (isOverview && !document.querySelector('.mantine-Skeleton-root')) resolve(performance.now());
      else requestAnimationFrame(look);
    };
    look();
  });
}

/** The first paint of a page that is loaded again, and the time until no figure waits for its data. */
async function measureOverview(page: Page, { tenant }: BigGame): Promise<void> {
  const paints: number[] = [];
  const complete: number[] = [];
  for (let run = 0; run < runs; run++) {
    await page.goto(`/games/${tenant.tenantId}`);
    complete.push(await page.evaluate(completeOverview));
    paints.push(
      await page.evaluate(
        () =>
          new Promise<number>((resolve) =>
            new PerformanceObserver((list) =>
              list.getEntriesByName('first-contentful-paint').forEach(({ startTime }) => resolve(startTime)),
            ).observe({ type: 'paint', buffered: true }),
          ),
      ),
    );
  }
  reportTimes('first paint of the overview', paints, 1_000);
  reportTimes('overview with all figures', complete, 1_000);
}

/** The time from a click to the frame in which the page shows a text. */
async function clickTo(page: Page, target: Locator, selector: string, text: string): Promise<number> {
  const element = await target.elementHandle();
  return page.evaluate(
    ([clicked, wanted, content]) =>
      new Promise<number>((resolve) => {
        const started = performance.now();
        const look = (): void => {
          const found = [...document.querySelectorAll(wanted)].some((node) =>
            node.textContent?.includes(content),
          );
          if (found) resolve(performance.now() - started);
          else requestAnimationFrame(look);
        };
        (clicked as HTMLElement).click();
        look();
      }),
    [element, selector, text] as const,
  );
}

async function measureClicks(page: Page, { tenant }: BigGame): Promise<void> {
  const game = `/games/${tenant.tenantId}`;
  const sideBar = page.getByRole('navigation', { name: 'Pages' });
  const link = (name: string): Locator => sideBar.getByRole('link', { name, exact: true });
  const clicks: [
    what: string,
    from: string,
    ready: string,
    target: Locator,
    selector: string,
    text: string,
  ][] = [
    ['overview → players', game, 'Overview', link('Players'), 'tr[data-row]', ''],
    [
      'players → sort by name',
      `${game}/players`,
      'Players',
      page.getByRole('button', { name: 'Name' }),
      '[aria-sort=ascending], [aria-sort=descending]',
      'Name',
    ],
    [
      'players → a player',
      `${game}/players?search=Player 30`,
      'Players',
      page.locator('tr[data-row] a').first(),
      'h2',
      'Sign-in methods',
    ],
    ['overview → events', game, 'Overview', link('Events'), 'h2', 'No events'],
    [
      'events → player events of 30 days',
      `${game}/events?range=30d`,
      'Events',
      page.getByText('Player events', { exact: true }),
      'tr[data-row]',
      '',
    ],
    ['overview → definitions', game, 'Overview', link('Definitions'), 'tr[data-row]', ''],
    [
      'webhooks → 10,000 deliveries',
      `/workspaces/${tenant.workspaceId}/webhooks`,
      'Webhooks',
      page.locator('tr[data-row] a').first(),
      'tr[data-row]',
      'Delivered',
    ],
  ];
  for (const [what, from, ready, target, selector, text] of clicks) {
    const times: number[] = [];
    for (let run = 0; run < runs; run++) {
      await page.goto(from);
      await page.getByRole('heading', { level: 1, name: ready }).waitFor();
      await target.waitFor();
      // A person points at a link before the click, which loads the code of its page.
      await target.hover();
      await page.waitForTimeout(500);
      times.push(await clickTo(page, target, selector, text));
    }
    reportTimes(`click: ${what}`, times, 300);
  }
}

/** From the last key to the result: the console waits 80 ms for another key, then asks the server. */
async function measureSearch(page: Page, { tenant }: BigGame): Promise<void> {
  for (const text of ['Player', 'dragon 7', '76561191300', 'nobody has this name']) {
    const times: number[] = [];
    const answers: number[] = [];
    for (let run = 0; run < runs; run++) {
      await page.goto(`/games/${tenant.tenantId}/players`);
      const search = page.getByRole('searchbox');
      await page.locator('tr[data-row]').first().waitFor();
      await search.fill(text.slice(0, -1));
      await page.waitForTimeout(500);
      const measured = page.evaluate(
        (wanted) =>
          new Promise<{ total: number; answer: number }>((resolve) => {
            let typedAt = NaN;
            document.addEventListener('input', () => (typedAt = performance.now()), { once: true });
            const look = (): void => {
              const entry = performance
                .getEntriesByType('resource')
                .find(({ name }) => new URL(name).searchParams.get('search') === wanted) as
                | PerformanceResourceTiming
                | undefined;
              if (!entry) return void requestAnimationFrame(look);
              const { requestStart, responseStart, responseEnd } = entry;
              resolve({ total: responseEnd - typedAt, answer: responseStart - requestStart });
            };
            look();
          }),
        text,
      );
      await search.press('End');
      await page.keyboard.type(text.at(-1)!);
      const { total, answer } = await measured;
      times.push(total);
      answers.push(answer);
    }
    reportTimes(`player search "${text}": answer of the server`, answers, 200);
    reportTimes(`player search "${text}": last key to answer`, times, 300);
  }
}

/** Loads all deliveries, then scrolls through their rows for five seconds, and counts frames that came late. */
async function measureScrolling(page: Page, { tenant, webhookId }: BigGame): Promise<void> {
  await page.goto(`/workspaces/${tenant.workspaceId}/webhooks/${webhookId}`);
  const scroller = page.getByRole('region', { name: 'Deliveries' });
  await page.locator('tr[data-row]').first().waitFor();
  let height = 0;
  const deadline = performance.now() + 120_000;
  for (let still = 0; still < 40 && performance.now() < deadline; still++) {
    const next = await scroller.evaluate((element) => {
      element.scrollTo(0, element.scrollHeight);
      return element.scrollHeight;
    });
    if (next !== height) still = 0;
    height = next;
    await page.waitForTimeout(50);
  }
  const { frames, late, longest, rows } = await scroller.evaluate(
    (element) =>
      new Promise<{ frames: number; late: number; longest: number; rows: number }>((resolve) => {
        const gaps: number[] = [];
        const started = performance.now();
        let last = started;
        element.scrollTo(0, 0);
        const step = (now: number): void => {
          gaps.push(now - last);
          last = now;
          element.scrollTo(0, ((now - started) / 5_000) * element.scrollHeight);
          if (now - started < 5_000) requestAnimationFrame(step);
          else
            resolve({
              frames: gaps.length,
              late: gaps.filter((gap) => gap > 34).length,
              longest: Math.max(...gaps.slice(1)),
              rows: document.querySelectorAll('tr[data-row]').length,
            });
        };
        requestAnimationFrame(step);
      }),
  );
  report('scrolling: loaded rows', height / ROW_HEIGHT, 'rows');
  report('scrolling: rows in the page', rows, 'rows', 100);
  report('scrolling: frames in 5 s', frames, 'frames');
  report('scrolling: frames later than 34 ms', late, 'frames', 0);
  report('scrolling: longest frame', longest, 'ms');
}

/** Verifies the ledger, and watches the memory and the longest time in which the page does not answer. */
async function measureVerification(page: Page, { tenant }: BigGame): Promise<void> {
  await page.goto(`/games/${tenant.tenantId}/wallet`);
  await page.getByText('in a chain of hashes').waitFor();
  await page.evaluate(() => {
    const watched = { longest: 0, heap: 0 };
    (globalThis as { watched?: typeof watched }).watched = watched;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) watched.longest = Math.max(watched.longest, duration);
    }).observe({ entryTypes: ['longtask'] });
    const { memory } = performance as unknown as { memory: { usedJSHeapSize: number } };
    setInterval(() => (watched.heap = Math.max(watched.heap, memory.usedJSHeapSize)), 100);
  });
  const started = performance.now();
  await page.getByRole('button', { name: 'Verify the ledger' }).click();
  await page.getByText(/entries are unaltered, and none is missing/).waitFor({ timeout: 600_000 });
  const seconds = (performance.now() - started) / 1_000;
  const { longest, heap } = await page.evaluate(
    () => (globalThis as unknown as { watched: { longest: number; heap: number } }).watched,
  );
  report('verification of the ledger', seconds, 's');
  report('verification: longest task', longest, 'ms', 200);
  report('verification: most memory of the page', heap / 2 ** 20, 'MiB', 200);
}
