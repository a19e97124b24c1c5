import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { launchChromium } from '../../sdk/test/chromium.ts';
import { freePort } from '../../server/acceptance/free-port.ts';

/**
 * Takes the screenshots of the README: `npm run screenshots`. It starts a server with a demo game in a temporary folder, and lets
 * simulated players play on it. With `-- --minutes 80` the charts of the last hour are full.
 */
const CLI = fileURLToPath(new URL('../../server/src/cli/index.ts', import.meta.url));
const IMAGES = fileURLToPath(new URL('../../docs/images', import.meta.url));
const { minutes } = parseArgs({ options: { minutes: { type: 'string', default: '8' } } }).values;
/** The simulated evening has most players after 70 % of its time. The images are taken then. */
const BUSIEST_MS = 0.7 * Number(minutes) * 60_000;

const PAGES = [
  { name: 'overview', link: 'Overview', colorScheme: 'light', search: '?range=1h' },
  { name: 'overview-dark', link: 'Overview', colorScheme: 'dark', search: '?range=1h' },
  { name: 'players', link: 'Players', colorScheme: 'light' },
  { name: 'events', link: 'Events', colorScheme: 'dark' },
  { name: 'match', link: 'Matches', colorScheme: 'light', search: '?state=ended', opensFirst: true },
  { name: 'definitions', link: 'Definitions', colorScheme: 'light' },
] as const;

const dataDir = await mkdtemp(join(tmpdir(), 'guildhall-screenshots-'));
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const server = start('serve', '--processes', '1');
try {
  const [email, password] = await readSignIn();
  console.log(`Simulated players play on ${url} for ${Math.ceil(BUSIEST_MS / 60_000)} minutes.`);
  const simulation = start('simulate', '--url', url, '--duration', `${minutes}m`);
  await sleep(BUSIEST_MS);
  await takeScreenshots(email, password);
  await end(simulation);
} finally {
  await end(server);
  await rm(dataDir, { recursive: true, force: true });
}

/** Starts a command of the server. */
function start(...command: string[]) {
  const child = spawn(process.execPath, [CLI, ...command], {
    env: { ...process.env, DATA_DIR: dataDir, PORT: String(port), LOG_LEVEL: 'error' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (text) => (output += text));
  return { child, output: () => output };
}

async function end({ child }: ReturnType<typeof start>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGINT');
  await once(child, 'exit');
}

/** Waits for the credentials that the first start prints. */
async function readSignIn(): Promise<[email: string, password: string]> {
  while (server.child.exitCode === null) {
    const [, email, password] = /ADMIN_EMAIL=(\S+)\s+ADMIN_PASSWORD=(\S+)\s/.exec(server.output()) ?? [];
    if (email && password) return [email, password];
    await sleep(100);
  }
  throw new Error(`The server ended. ${server.output()}`);
}

async function takeScreenshots(email: string, password: string): Promise<void> {
  const browser = await launchChromium();
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({
      baseURL: url,
      colorScheme,
      viewport: { width: 1280, height: 800 },
      reducedMotion: 'reduce',
    });
    context.setDefaultTimeout(120_000);
    const page = await context.newPage();
    await page.goto('/sign-in');
    await page.getByLabel('Email').fill(email);
    await page.getByRole('textbox', { name: 'Password' }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    for (const wanted of PAGES.filter((each) => each.colorScheme === colorScheme)) {
      await openPage(page, wanted);
      const path = join(IMAGES, `console-${wanted.name}.png`);
      await page.screenshot({ path });
      console.log(path);
    }
  }
  await browser.close();
}

async function openPage(page: Page, { link, ...rest }: (typeof PAGES)[number]): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name: link, exact: true }).click();
  await page.getByRole('heading', { level: 1, name: link }).waitFor();
  if ('search' in rest) {
    await page.goto(page.url() + rest.search);
    await page.getByRole('heading', { level: 1, name: link }).waitFor();
  }
  if ('opensFirst' in rest) {
    await page.locator('tr[data-row] a').first().click();
    await page.getByRole('heading', { level: 1, name: /^Match ·/ }).waitFor();
  }
  await page.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' });
  // Live streams never end. Everything else has loaded before.
  await page.waitForLoadState('networkidle', { timeout: 5_000 }).catch(() => {});
}
