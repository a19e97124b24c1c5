import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

/**
 * Takes the screenshots of the README from a running server with a demo game: `npm run screenshots --workspace console`.
 * Run the simulator for some minutes first, so that the pages have data.
 */
const { URL: url = 'http://127.0.0.1:8080', ADMIN_EMAIL, ADMIN_PASSWORD } = process.env;
if (!ADMIN_EMAIL || !ADMIN_PASSWORD) {
  console.error('Set ADMIN_EMAIL and ADMIN_PASSWORD to the values that the first start printed.');
  process.exit(1);
}

const folder = fileURLToPath(new globalThis.URL('../../docs/images', import.meta.url));
const PAGES = [
  { name: 'overview', link: 'Overview', colorScheme: 'light', search: '?range=1h' },
  { name: 'overview-dark', link: 'Overview', colorScheme: 'dark', search: '?range=1h' },
  { name: 'players', link: 'Players', colorScheme: 'light' },
  { name: 'events', link: 'Events', colorScheme: 'dark' },
  { name: 'match', link: 'Matches', colorScheme: 'light', search: '?state=ended', opensFirst: true },
  { name: 'definitions', link: 'Definitions', colorScheme: 'light' },
] as const;

await mkdir(folder, { recursive: true });
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
for (const colorScheme of ['light', 'dark'] as const) {
  const context = await browser.newContext({
    baseURL: url,
    colorScheme,
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  await page.goto('/sign-in');
  await page.getByLabel('Email').fill(ADMIN_EMAIL);
  await page.getByRole('textbox', { name: 'Password' }).fill(ADMIN_PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  for (const { name, link, ...rest } of PAGES.filter((wanted) => wanted.colorScheme === colorScheme)) {
    await page.getByRole('navigation').getByRole('link', { name: link, exact: true }).click();
    await page.getByRole('heading', { level: 1, name: link }).waitFor();
    if ('search' in rest) {
      await page.goto(page.url() + rest.search);
      await page.getByRole('heading', { level: 1, name: link }).waitFor();
    }
    if ('opensFirst' in rest) await page.locator('tr[data-row] a').first().click();
    await page.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' });
    await page.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => {});
    await page.screenshot({ path: `${folder}/console-${name}.png` });
    console.log(`docs/images/console-${name}.png`);
  }
  await context.close();
}
await browser.close();
