import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { eventually } from '../../server/src/testing/eventually.ts';
import { startTestApp } from '../../server/src/testing/test-app.ts';
import type { ClientStorage, PlayerClient } from '../src/index.ts';
import { loadPage, servePage, startBrowser } from './browser.ts';
import { buildClient } from './build.ts';
import { arrangeGame } from './game.ts';

const origin = await servePage('browser-page.html', buildClient());
const app = await startTestApp({ env: { CORS_ORIGINS: origin } });
const { gameKey } = await arrangeGame(app);
const browser = await startBrowser();

/** The functions of browser-page.html, and what these tests add. */
interface PageWindow {
  open_(options: object): Promise<void>;
  client: PlayerClient;
  storage: ClientStorage;
  connections: IDBDatabase[];
  ended: string[];
}

/** Opens a page with a player who is signed in. */
async function openPage(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  await page.addInitScript(() => {
    const connections: IDBDatabase[] = [];
    Object.assign(window, { connections });
    const open = indexedDB.open.bind(indexedDB);
    indexedDB.open = (...call) => {
      const request = open(...call);
      request.addEventListener('success', () => connections.push(request.result));
      return request;
    };
  });
  await loadPage(page, origin);
  const options = { baseUrl: app.url, gameKey, session: 'indexedDb', events: 'indexedDb', batchAfterMs: 30 };
  await page.evaluate((given) => (window as unknown as PageWindow).open_(given), options);
  return page;
}

describe('indexedDbStorage', () => {
  test('opens a new connection if the browser has ended the one before without an event', async () => {
    const context = await browser.newContext();
    const page = await openPage(context);
    const profiles = await page.evaluate(async () => {
      const { client, connections, storage } = window as unknown as PageWindow;
      for (const connection of connections) connection.close();
      await storage.write({ a: '1' });
      return [await storage.get('a'), (await client.profile.get()).id, client.session.current?.playerId];
    });
    assert.equal(profiles[0], '1');
    assert.equal(profiles[1], profiles[2]);
    await context.close();
  });

  test('gives up after 10 seconds if the browser does not answer, and continues when it does', async () => {
    const context = await browser.newContext();
    const page = await openPage(context);
    await page.clock.install();
    const outcome = page.evaluate(async () => {
      const { connections, storage } = window as unknown as PageWindow;
      // A transaction lasts as long as it has requests.
      let isEnded = false;
      const store = connections[0]!.transaction('entries', 'readwrite').objectStore('entries');
      const next = () => void (isEnded || store.get('a').addEventListener('success', next));
      next();
      const first = await storage.write({ a: '1' }).then(() => 'written', String);
      isEnded = true;
      return [first, await storage.write({ a: '2' }), await storage.get('a')];
    });
    await page.clock.runFor(9_000);
    await page.clock.runFor(2_000);
    assert.deepEqual(await outcome, ['Error: IndexedDB did not answer within 10 seconds.', true, '2']);
    await context.close();
  });

  test('a sign-out in one tab ends the session in another', async () => {
    const context = await browser.newContext();
    const [one, other] = [await openPage(context), await openPage(context)];
    const currentOf = (page: Page) =>
      page.evaluate(() => (window as unknown as PageWindow).client.session.current?.playerId);
    assert.equal(await currentOf(one), await currentOf(other));
    await other.evaluate(() => {
      const ended: string[] = [];
      (window as unknown as PageWindow).client.session.onSessionEnded(({ reason }) => ended.push(reason));
      Object.assign(window, { ended });
    });
    await one.evaluate(() => (window as unknown as PageWindow).client.signOut());
    await eventually(async () => (await currentOf(other)) === undefined);
    assert.deepEqual(await other.evaluate(() => (window as unknown as PageWindow).ended), ['signed_out']);
    await context.close();
  });
});
