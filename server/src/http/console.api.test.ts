import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import Fastify from 'fastify';
import { serveConsole } from './console.ts';
import { answerUnknownPaths } from './unknown-paths.ts';

const folder = await mkdtemp(join(tmpdir(), 'guildhall-console-'));
after(() => rm(folder, { recursive: true }));
await mkdir(join(folder, 'assets'));
await writeFile(
  join(folder, 'index.html'),
  '<script src="/assets/index-1.js" nonce="__CSP_NONCE__"></script>',
);
await writeFile(join(folder, 'assets', 'index-1.js'), 'plain');
await writeFile(join(folder, 'assets', 'index-1.js.br'), 'brotli');

const NAVIGATION = { accept: 'text/html,*/*', 'sec-fetch-mode': 'navigate' };

async function start(built: string) {
  const app = Fastify();
  const sendPage = await serveConsole(app, built);
  answerUnknownPaths(app, sendPage);
  app.get('/api/known', async () => ({}));
  await app.ready();
  after(() => app.close());
  return (url: string, headers: Record<string, string> = {}, method: 'GET' | 'POST' = 'GET') =>
    app.inject({ method, url, headers });
}

describe('a server with a built console', async () => {
  const get = await start(folder);

  test('returns the page for every path that a browser navigates to', async () => {
    for (const path of ['/', '//', '/sign-in', '/games/x/players?search=ada', '/apiary']) {
      const { statusCode, headers, body } = await get(path, NAVIGATION);
      assert.equal(statusCode, 200, path);
      assert.match(headers['content-type'] as string, /^text\/html/);
      assert.equal(headers['cache-control'], 'no-cache');
      assert.match(body, /index-1\.js/);
    }
  });

  test('gives each response a nonce of its own, and allows no inline script and nothing of another server', async () => {
    const [one, other] = [await get('/', NAVIGATION), await get('/', NAVIGATION)];
    const nonceOf = ({ body }: typeof one) => /nonce="([^"]+)"/.exec(body)![1]!;
    assert.notEqual(nonceOf(one), nonceOf(other));
    const policy = one.headers['content-security-policy'] as string;
    assert.match(policy, /script-src 'self';/);
    assert.ok(policy.includes(`style-src 'self' 'nonce-${nonceOf(one)}'`));
    assert.doesNotMatch(policy, /unsafe|https?:/);
  });

  test('returns 404 as a problem document for unknown paths of the API, and for requests of scripts', async () => {
    for (const [path, headers] of [
      ['/api/unknown', NAVIGATION],
      ['/avatars/unknown', NAVIGATION],
      ['/assets/unknown.js', NAVIGATION],
      ['/unknown', { accept: '*/*' }],
      ['/unknown', { accept: 'text/html', 'sec-fetch-mode': 'cors' }],
    ] as const) {
      const { statusCode, headers: answered } = await get(path, headers);
      assert.equal(statusCode, 404, path);
      assert.equal(answered['content-type'], 'application/problem+json');
    }
    assert.equal((await get('/sign-in', NAVIGATION, 'POST')).statusCode, 404);
  });

  test('returns assets for a year, compressed if the browser accepts it', async () => {
    const plain = await get('/assets/index-1.js');
    assert.deepEqual([plain.statusCode, plain.body], [200, 'plain']);
    assert.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable');
    const small = await get('/assets/index-1.js', { 'accept-encoding': 'br' });
    assert.deepEqual([small.body, small.headers['content-encoding']], ['brotli', 'br']);
  });

  test('does not return files outside of the build', async () => {
    for (const path of [
      '/assets/../../package.json',
      '/assets/%2e%2e/%2e%2e/package.json',
      '/.vite/manifest.json',
    ])
      assert.equal((await get(path)).statusCode, 404, path);
  });
});

describe('a server without a built console', async () => {
  const get = await start(join(folder, 'missing'));

  test('says how to build it', async () => {
    const { statusCode, body } = await get('/', NAVIGATION);
    assert.equal(statusCode, 200);
    assert.match(body, /npm run build/);
  });
});
