import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { eventually } from '../testing/eventually.ts';
import { serveOnLoopback } from '../testing/loopback-server.ts';
import { bucketAt, startS3Server } from '../testing/s3-server.ts';
import { createBucketClient, openObjectStorage } from './object-storage.ts';

const s3 = await startS3Server();
const disk = await openObjectStorage(bucketAt(s3.url), { socketTimeout: 60_000, transferTimeout: 300 });

describe('a bucket that sends its responses byte for byte', () => {
  for (const [name, request] of [
    ['an upload', () => disk.put('a', 'text')],
    ['a deletion', () => disk.delete('a')],
    ['a list', () => disk.listAll('')],
  ] as const)
    test(`ends ${name}, and closes the connection`, async () => {
      s3.trouble = 'drip';
      try {
        await assert.rejects(request());
        await eventually(() => s3.sending === 0);
      } finally {
        s3.trouble = 'none';
      }
    });

  test('gives an object the time that its size needs', async () => {
    await disk.put('b', 'text');
    s3.trouble = 'drip';
    // Its length is 1 MiB: 16 s at 64 KB/s.
    const object = await disk.getStream('b');
    s3.trouble = 'none';
    let bytes = 0;
    for await (const chunk of object) if ((bytes += (chunk as Buffer).length) > 8) break;
    assert.ok(bytes > 8, 'more bytes than arrive within 300 ms');
    await eventually(() => s3.sending === 0);
  });
});

test('ends a request that the bucket reads byte by byte without sending headers', async () => {
  let open = 0;
  const url = await serveOnLoopback((request, response) => {
    open++;
    response.once('close', () => open--);
    const timer = setInterval(() => request.read(1), 10);
    response.once('close', () => clearInterval(timer));
  });
  const slow = await openObjectStorage(bucketAt(url), { transferTimeout: 300 });
  await assert.rejects(slow.put('a', 'x'.repeat(100)));
  await eventually(() => open === 0);
});

test('a bucket without trouble stores and returns objects', async () => {
  await disk.put('c', 'text');
  assert.equal(await text(await disk.getStream('c')), 'text');
  await disk.delete('c');
});

test('a request ends when its caller aborts it', async () => {
  const caller = new AbortController();
  const url = await serveOnLoopback(() => caller.abort());
  const client = await createBucketClient(bucketAt(url), { transferTimeout: 60_000 });
  const request = new GetObjectCommand({ Bucket: 'events', Key: 'a' });
  await assert.rejects(client.send(request, { abortSignal: caller.signal }), { name: 'AbortError' });
});
