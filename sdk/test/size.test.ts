import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { buildClient } from './build.ts';

const client = buildClient();

/** The size of what a page loads that imports this name only, minified and compressed. */
async function sizeOf(entry: string, name: string): Promise<{ code: string; bytes: number }> {
  const source = `export { ${name} } from ${JSON.stringify(join(client, `${entry}.js`))};`;
  const bundle = await rolldown({
    input: 'page',
    platform: 'browser',
    plugins: [
      {
        name: 'page',
        resolveId: (id) => (id === 'page' ? id : undefined),
        load: (id) => (id === 'page' ? source : undefined),
      },
    ],
  });
  const { output } = await bundle.generate({ format: 'es', minify: true });
  const { code } = output[0];
  return { code, bytes: gzipSync(code, { level: 9 }).length };
}

describe('the size of a bundle, compressed', () => {
  for (const [entry, name, kilobytes] of [
    ['index', 'createPlayerClient', 8],
    ['index', 'createEventQueue', 6],
    ['server', 'createServerClient', 8],
    ['admin', 'createAdminClient', 8],
    ['webhooks', 'verifyWebhook', 2],
  ] as const)
    test(`${name} has at most ${kilobytes} KB`, async (context) => {
      const { bytes } = await sizeOf(entry, name);
      context.diagnostic(`${bytes} bytes`);
      assert.ok(bytes <= kilobytes * 1000, `${bytes} bytes`);
    });

  test('a bundle contains only what it imports', async () => {
    const { code } = await sizeOf('index', 'createPlayerClient');
    for (const text of ['indexedDB', '/api/game/events', '/api/player-portal-auth/refresh'])
      assert.ok(!code.includes(text), text);
    assert.ok(code.includes('/api/player-auth/refresh'));
  });

  test('no entry for browsers uses a module of Node', async () => {
    for (const [entry, name] of [
      ['index', 'createPlayerClient'],
      ['server', 'createServerClient'],
      ['admin', 'createAdminClient'],
      ['webhooks', 'verifyWebhook'],
    ] as const)
      assert.ok(!/from\s*["']node:/.test((await sizeOf(entry, name)).code), entry);
  });
});
