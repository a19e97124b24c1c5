import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import Fastify from 'fastify';
import { createCompressedAsset } from './compressed-asset.ts';

const content = Buffer.from('guildhall '.repeat(1000));
const asset = createCompressedAsset(content, 'text/plain', 'public, max-age=60');
const app = Fastify();
app.get('/', async (request, reply) => asset.send(request, reply));
const get = (headers: Record<string, string>) => app.inject({ url: '/', headers });

const encodings: [accepted: string, encoding: string | undefined, decode: (body: Buffer) => Buffer][] = [
  ['gzip, deflate, br', 'br', brotliDecompressSync],
  ['gzip;q=1.0, br;q=0', 'gzip', gunzipSync],
  ['deflate', undefined, (body) => body],
  ['gzip;q=0, br;q=0.0', undefined, (body) => body],
];
for (const [accepted, encoding, decode] of encodings)
  test(`sends ${encoding ?? 'the plain content'} for Accept-Encoding: ${accepted}`, async () => {
    const answer = await get({ 'accept-encoding': accepted });
    assert.equal(answer.headers['content-encoding'], encoding);
    assert.equal(answer.headers['vary'], 'accept-encoding');
    assert.equal(answer.headers['cache-control'], 'public, max-age=60');
    assert.deepEqual(decode(answer.rawPayload), content);
    if (encoding) assert.ok(answer.rawPayload.length < content.length / 10);
  });

test('answers 304 to the ETag of the same encoding only', async () => {
  const { headers } = await get({ 'accept-encoding': 'br' });
  const etag = String(headers['etag']);
  const again = await get({ 'accept-encoding': 'br', 'if-none-match': `"other", ${etag}` });
  assert.deepEqual([again.statusCode, again.body], [304, '']);
  const plain = await get({ 'if-none-match': etag });
  assert.equal(plain.statusCode, 200);
});
