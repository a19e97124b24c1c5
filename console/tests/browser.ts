import assert from 'node:assert/strict';
import { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import axe from 'axe-core';
import type { BrowserContextOptions, Locator, Page, ViewportSize } from 'playwright-core';
import { createAdminClient } from '../../sdk/src/admin/client.ts';
import { memoryStorage } from '../../sdk/src/storage/memory.ts';
import { launchChromium, NO_OPTIMIZATION } from '../../sdk/test/chromium.ts';
import { accountClient, ACCOUNT_PASSWORD } from '../../server/src/testing/account-client.ts';
import { arrangeTenant, type TestTenant } from '../../server/src/testing/arrange.ts';
import { someEmail } from '../../server/src/testing/mailbox.ts';
import { startTestApp, type TestApp, type TestAppOptions } from '../../server/src/testing/test-app.ts';

/** A server with a studio, and a browser. */
export interface Studio {
  app: TestApp;
  tenant: TestTenant;
  /** The base of the pages of its game. */
  game: string;
  /**
   * Opens a path of the console with a new session of an account with a role. Default: the owner. After the test that opened it, the page
   * is emptied, because pages that nobody uses still ask for news. A later test may get it.
   */
  open(path: string, options?: OpenOptions): Promise<Page>;
  /** Opens a path without a session. The page is emptied like that of `open`. */
  visit(path: string, options?: VisitOptions): Promise<Page>;
  /** The sign-in of the owner. */
  owner: { email: string; password: string };
}

/** The options of a context. Those that a page can change share a context. */
interface VisitOptions extends Omit<BrowserContextOptions, 'viewport' | 'colorScheme'> {
  viewport?: ViewportSize;
  colorScheme?: 'light' | 'dark';
}

interface OpenOptions extends VisitOptions {
  role?: 'owner' | 'admin' | 'viewer' | 'platformAdmin';
}

const VIEWPORT = { width: 1280, height: 800 };

/** The tip of a relative time: a date with its year, and the time to the second. */
export const EXACT_TIME = /\d{4}.*:\d{2}:\d{2}/;

/** Starts a server and a browser for the tests of a file. The file fails if a page logs an error. */
export async function startStudio(options: TestAppOptions = {}): Promise<Studio> {
  const app = await startTestApp(options);
  const browser = await launchChromium('--renderer-process-limit=1', '--in-process-gpu', NO_OPTIMIZATION);
  const errors: string[] = [];
  const tenant = await arrangeTenant(app);
  await app.owner.query(`UPDATE workspaces SET name = 'Harbor Games' WHERE id = $1`, [tenant.workspaceId]);
  await app.owner.query(`UPDATE tenants SET name = 'Tidewater' WHERE id = $1`, [tenant.tenantId]);
  const accounts = await accountClient(app);
  const emails = new Map<string, string>();

  /** Creates one account for each role. */
  async function emailOf(role: NonNullable<OpenOptions['role']>): Promise<string> {
    const known = emails.get(role);
    if (known) return known;
    const { email, id } = await accounts.signUp(role === 'owner' ? 'olivia@harbor.example' : someEmail());
    emails.set(role, email);
    await app.owner.query(
      'UPDATE accounts SET email_verified_at = now(), is_platform_admin = $2 WHERE id = $1',
      [id, role === 'platformAdmin'],
    );
    await app.owner.query('INSERT INTO memberships (workspace_id, account_id, role) VALUES ($1, $2, $3)', [
      tenant.workspaceId,
      id,
      role === 'platformAdmin' ? 'owner' : role,
    ]);
    return email;
  }

  /** The pages that no test uses. A test that leaves traces in its page, such as a fixed clock, closes its context. */
  const idle: { page: Page; options: string }[] = [];

  /**
   * Returns a page that nothing else uses until the end of the test: an earlier one whose context has the same options, or a new one. The
   * next load in an earlier one takes a third of the processor time less, because its process and its cache are still there.
   */
  async function takePage(given: BrowserContextOptions): Promise<Page> {
    const options = JSON.stringify(given);
    const known = idle.find((one) => one.options === options);
    if (known) idle.splice(idle.indexOf(known), 1);
    const page = known?.page ?? (await openPage(given));
    after(async () => {
      if (page.isClosed()) return;
      for (const other of page.context().pages()) if (other !== page) await other.close();
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      await page.goto('about:blank');
      // Otherwise the pointer may be over an element of the next page.
      await page.mouse.move(0, 0);
      idle.push({ page, options });
    });
    return page;
  }

  async function openPage(options: BrowserContextOptions): Promise<Page> {
    const context = await browser.newContext({
      baseURL: app.url,
      viewport: VIEWPORT,
      reducedMotion: 'reduce',
      ...options,
    });
    context.setDefaultTimeout(WAIT_MS);
    const page = await context.newPage();
    page.on('console', (message) => {
      // The browser logs each refused request. Pages show them to the reader.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        errors.push(`${page.url()}: ${message.text()}`);
    });
    page.on('pageerror', (error) => errors.push(`${page.url()}: ${error.stack ?? error.message}`));
    return page;
  }

  async function visit(
    path: string,
    { viewport = VIEWPORT, colorScheme = 'light', ...options }: VisitOptions = {},
    session: StorageItem[] = [],
  ): Promise<Page> {
    const page = await takePage(options);
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme, forcedColors: 'none' });
    // The option storageState of a context opens another page for this, which takes a quarter of the time of a page.
    const onLoad = await page.addInitScript((items) => {
      localStorage.clear();
      sessionStorage.clear();
      items.forEach(({ name, value }) => localStorage.setItem(name, value));
    }, session);
    await page.goto(path);
    await onLoad.dispose();
    return page;
  }

  after(async () => {
    await browser.close();
    assert.deepEqual(errors, [], 'no page logs an error');
  });
  const ownerEmail = await emailOf('owner');
  return {
    app,
    tenant,
    game: `/games/${tenant.tenantId}`,
    owner: { email: ownerEmail, password: ACCOUNT_PASSWORD },
    visit,
    open: async (path, { role = 'owner', ...context } = {}) => {
      const session = await signIn(context.baseURL ?? app.url, await emailOf(role));
      return visit(path, context, session);
    },
  };
}

/** An item of the local storage of a browser. */
interface StorageItem {
  name: string;
  value: string;
}

/** Signs in without a page, which takes half of the time, and returns what the console keeps of a session in the browser. */
async function signIn(baseUrl: string, email: string): Promise<StorageItem[]> {
  const storage = memoryStorage();
  await createAdminClient({ baseUrl, storage }).signIn({ email, password: ACCOUNT_PASSWORD });
  return (await storage.list('', 10)).map(([name, value]) => ({ name, value }));
}

/** How long a page may take to show what a test waits for. On a busy machine, some take 20 seconds. */
const WAIT_MS = 90_000;

/**
 * Answers requests for `url` with the problem "It failed." until a button "Try again" is clicked. Pages that ask again by themselves would
 * remove the button before a test can click it.
 */
export async function failUntilTriedAgain(page: Page, url: string): Promise<void> {
  const noticeClick = () =>
    addEventListener(
      'click',
      ({ target }) => {
        if (target instanceof Element && target.closest('button')?.textContent.startsWith('Try again'))
          document.documentElement.dataset['triedAgain'] = '';
      },
      { capture: true },
    );
  await page.addInitScript(noticeClick);
  await page.evaluate(noticeClick);
  await page.route(url, async (route) => {
    if (await page.evaluate(() => 'triedAgain' in document.documentElement.dataset)) await route.continue();
    else await route.fulfill({ status: 500, json: { code: 'internal_error', detail: 'It failed.' } });
  });
}

/** Waits until a value of a page is the wanted one. After 90 seconds it fails with the value that is still there. */
export async function becomes<Value>(read: () => Promise<Value>, wanted: Value): Promise<void> {
  const deadline = Date.now() + WAIT_MS;
  let value = await read();
  while (!isDeepStrictEqual(value, wanted) && Date.now() < deadline) {
    await sleep(20);
    value = await read();
  }
  assert.deepEqual(value, wanted);
}

/** Waits until so many elements are there. */
export const countBecomes = (elements: Locator, count: number): Promise<void> =>
  becomes(() => elements.count(), count);

/** Waits until the only table of the page has so many rows. */
export const rowsBecome = (page: Page, count: number): Promise<void> =>
  countBecomes(page.locator('tr[data-row]'), count);

/** Waits until the dialog is closed and the element behind it can be used. */
export const dialogCloses = (page: Page): Promise<void> => countBecomes(page.getByRole('dialog'), 0);

/** Opens the side panel of a row, and closes it with the back button of the browser, which stays on the list. */
export async function backClosesPanel(page: Page, row: Locator): Promise<void> {
  const list = page.url();
  await row.click();
  await page.getByRole('dialog').waitFor();
  assert.notEqual(page.url(), list);
  await page.goBack();
  await dialogCloses(page);
  assert.equal(page.url(), list);
}

/** Waits until an opened dialog has moved the focus into itself. */
export const dialogHasFocus = (page: Page): Promise<void> => page.locator('[role=dialog] :focus').waitFor();

/** The rules of axe whose result depends on colors. */
export const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

/** Checks the page with axe: by default no violation of WCAG 2.2 A and AA, and of its best practices. */
export async function assertAccessible(page: Page, what: string, rules?: string[]): Promise<void> {
  // The script of a page is loaded when the page is: without its heading it is still empty.
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  const violations = await page.evaluate(async (values) => {
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run(
      // Without this, axe also describes each element that breaks no rule.
      { resultTypes: ['violations'], ...(values && { runOnly: { type: 'rule', values } }) },
    );
    return violations.map(
      ({ id, nodes }) =>
        `${id}: ${nodes.map(({ html, failureSummary }) => `${html} (${failureSummary})`).join(' | ')}`,
    );
  }, rules);
  assert.deepEqual(violations, [], what);
}
