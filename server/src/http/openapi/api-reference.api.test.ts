import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { startTestApp } from '../../testing/test-app.ts';

const credentials = {
  tenantId: '11111111-2222-4333-8444-555555555555',
  gameKey: 'gh_game_</script>',
  apiKey: 'gh_api_1',
};
const app = await startTestApp({
  findReferenceCredentials: (token) => (token === 'first' ? credentials : undefined),
});

/** The inline script of a page. */
const startOf = (page: string): string => /<script>([^]*?)<\/script>/.exec(page)?.[1] ?? '';

describe('GET /docs/', () => {
  test('has a title, an icon, and scripts of this server only', async () => {
    const { status, text, headers } = await app.http.get('/docs/');
    assert.equal(status, 200);
    assert.match(headers.get('content-type') ?? '', /text\/html/);
    assert.match(text, /<title>Guildhall API<\/title>/);
    const [, icon = ''] = /<link rel="icon" href="([^"]+)"/.exec(text) ?? [];
    assert.equal((await app.http.get(icon)).headers.get('content-type'), 'image/svg+xml');
    assert.match(startOf(text), /Scalar\.createApiReference.*"url":"\/openapi\.json"/);
    const policy = headers.get('content-security-policy') ?? '';
    const hash = createHash('sha256').update(startOf(text)).digest('base64');
    assert.ok(policy.includes(`script-src 'self' 'sha256-${hash}';`), policy);
    assert.match(policy, /default-src 'none'.*connect-src 'self'.*frame-ancestors 'none'/);
  });

  test('loads its script compressed, by a path that a browser may cache forever', async () => {
    const { text } = await app.http.get('/docs/');
    const [, path = ''] = /<script src="([^"]+)"/.exec(text) ?? [];
    assert.match(path, /^\/docs\/scalar\.[0-9a-f]{16}\.js$/);
    for (const encoding of ['br', 'gzip']) {
      const answer = await fetch(app.url + path, { headers: { 'accept-encoding': encoding } });
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('content-encoding'), encoding);
      assert.equal(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable');
      assert.ok(Number(answer.headers.get('content-length')) < 1_500_000);
      assert.match(await answer.text(), /createApiReference/);
    }
  });

  test('returns 404 for the script of another version', async () => {
    assert.equal((await app.http.get('/docs/scalar.0000000000000000.js')).status, 404);
  });

  test('is found without its slash, and has no state in the URL', async () => {
    const { status, headers } = await fetch(`${app.url}/docs`, { redirect: 'manual' });
    assert.deepEqual([status, headers.get('location')], [301, '/docs/']);
  });
});

describe('GET /docs/?demo=<token>', () => {
  test('fills in the credentials for the holder of the token only', async () => {
    const { text, headers } = await app.http.get('/docs/?demo=first');
    assert.ok(startOf(text).includes(String.raw`"value":"gh_game_\u003c/script>"`), startOf(text));
    assert.equal(headers.get('cache-control'), 'no-store');
    for (const path of ['/docs/', '/docs/?demo=other', '/docs/?demo=first&demo=first'])
      assert.doesNotMatch((await app.http.get(path)).text, /gh_game_|gh_api_/, path);
  });

  test('shows the tenant in the examples, for the holder of the token only', async () => {
    const { body, headers } = await app.http.get('/docs/openapi.json?demo=first');
    const { parameters } = body.paths['/api/bus_tenants/{tenantId}'].get;
    assert.equal(parameters[0].example, credentials.tenantId);
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.equal((await app.http.get('/docs/openapi.json?demo=other')).status, 404);
    assert.equal((await app.http.get('/docs/openapi.json')).status, 404);
    assert.doesNotMatch((await app.http.get('/openapi.json')).text, new RegExp(credentials.tenantId));
  });
});
