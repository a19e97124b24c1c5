import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { after } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { eventually } from '../../server/src/testing/eventually.ts';
import { launchChromium, NO_OPTIMIZATION } from './chromium.ts';

const SDK = fileURLToPath(new URL('..', import.meta.url));

/** How long a page may take on a busy machine. */
export const PAGE_WAIT_MS = 90_000;

/** Starts the Chromium of the machine, and closes it after the tests of the file. */
export async function startBrowser(): Promise<Browser> {
  const browser = await launchChromium(NO_OPTIMIZATION);
  after(() => browser.close());
  return browser;
}

/**
 * Opens a page of {@link servePage}, and waits until its script has run. On a busy machine, the script of a page does not always start.
 * Then the page is loaded again.
 */
export async function loadPage(page: Page, origin: string): Promise<void> {
  page.setDefaultTimeout(PAGE_WAIT_MS);
  await eventually(async () => {
    await page.goto(origin);
    const isReady = page.waitForFunction(() => (window as { isReady?: boolean }).isReady, undefined, {
      timeout: 15_000,
    });
    return isReady.then(
      () => true,
      () => false,
    );
  });
}

/** Serves a built client below `/dist/` and a page, on an origin of their own like the page of a game. */
export async function servePage(page: string, client: string): Promise<string> {
  const server = createServer((request, response) => {
    const path = request.url!.split('?')[0]!;
    const isModule = /^\/dist\/[\w/-]+\.js$/.test(path);
    const file = isModule ? client + path.slice('/dist'.length) : `${SDK}test/${page}`;
    readFile(file).then(
      (bytes) =>
        response.writeHead(200, { 'content-type': isModule ? 'text/javascript' : 'text/html' }).end(bytes),
      () => response.writeHead(404).end(),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
