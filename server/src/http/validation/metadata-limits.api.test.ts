import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { arrangePlayer, arrangeTenant } from '../../testing/arrange.ts';
import { withoutReferences } from '../../testing/openapi.ts';
import { startTestApp } from '../../testing/test-app.ts';

const app = await startTestApp();
const tenant = await arrangeTenant(app);
const { playerId } = await arrangePlayer(app, tenant);

/** Every operation that accepts metadata, by the path of the metadata in its body. */
const senders = {
  'deviceInfo.metadata': (metadata: unknown) =>
    logIn({ deviceInfo: { deviceFingerprint: randomBytes(16).toString('hex'), metadata } }),
  'clientInfo.metadata': (metadata: unknown) => logIn({ clientInfo: { platform: 'Other', metadata } }),
  metadata: (metadata: unknown) =>
    app.http.post('/api/game/matches', { players: [{ playerId }], metadata }, { gameKey: tenant.gameKey }),
};

function logIn(more: object) {
  const token = `mock:${randomBytes(6).toString('hex')}:secret`;
  return app.http.post(
    '/api/player-auth/login',
    { provider: 'Mock', token, ...more },
    { gameKey: tenant.gameKey },
  );
}

/** Metadata with this size as JSON. */
const ofBytes = (bytes: number) => ({
  a: 'é'.repeat(((bytes - 8) / 2) | 0).padEnd(bytes - 8 - (((bytes - 8) / 2) | 0), 'x'),
});
const ofMembers = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, number) => [`m${number}`, 1]));
const ofLevels = (levels: number): object => (levels === 1 ? { a: 1 } : { a: ofLevels(levels - 1) });

for (const [path, send] of Object.entries(senders))
  describe(path, () => {
    test('accepts 8 KiB and 4 levels, with any number of members', async () => {
      assert.equal(Buffer.byteLength(JSON.stringify(ofBytes(8192))), 8192);
      for (const metadata of [ofBytes(8192), ofLevels(4), ofMembers(800), { a: [[{}]] }, {}]) {
        const { status, text } = await send(metadata);
        assert.ok(status === 200 || status === 201, text);
      }
    });

    test('returns 400 with the path for more bytes, more levels, and numbers that are stored as more bytes', async () => {
      for (const [metadata, message] of [
        [ofBytes(8193), /at most 8192 bytes/],
        [{ a: [[[{}]]] }, /at most 4 levels/],
        [ofLevels(5), /at most 4 levels/],
        [{ a: Array.from({ length: 100 }, () => 1e308) }, /at most 8192 bytes/],
        [{ a: Array.from({ length: 100 }, () => -1e-300) }, /at most 8192 bytes/],
      ] as const) {
        const { status, body } = await send(metadata);
        assert.deepEqual([status, body.code], [400, 'invalid_request']);
        assert.equal(body.errors[0].path, path);
        assert.match(body.errors[0].message, message);
      }
    });
  });

test('documents the limits of all metadata in request bodies', async () => {
  const document = withoutReferences((await app.http.get('/openapi.json')).body);
  const found: unknown[] = [];
  JSON.stringify(document.paths, (name, value) => {
    if (name === 'requestBody')
      JSON.stringify(value, (member, schema) => {
        if (member === 'example') return undefined;
        if (member === 'metadata') found.push([schema['x-max-bytes'], schema['x-max-levels']]);
        return schema;
      });
    return value;
  });
  assert.ok(found.length > 10);
  for (const limits of found) assert.deepEqual(limits, [8192, 4]);
});
