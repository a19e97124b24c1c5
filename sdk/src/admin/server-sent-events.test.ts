import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readServerSentEvents } from './server-sent-events.ts';

const encoder = new TextEncoder();

async function read(chunks: Uint8Array[]) {
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  return Array.fromAsync(readServerSentEvents(stream, () => {}));
}

describe('readServerSentEvents', () => {
  const text =
    'retry: 2000\n\nid: 1\nevent: notification\ndata: {"a":"ü"}\n\n: still here\n\ndata: two\ndata: lines\n\ndata: unfinished';
  const events = [
    { id: '1', event: 'notification', data: '{"a":"ü"}' },
    { id: undefined, event: 'message', data: 'two\nlines' },
  ];

  test('reads events and skips comments and an unfinished event', async () => {
    assert.deepEqual(await read([encoder.encode(text)]), events);
  });

  test('does not depend on how the bytes arrive', async () => {
    const bytes = encoder.encode(text);
    assert.deepEqual(await read(Array.from(bytes, (byte) => Uint8Array.of(byte))), events);
  });

  test('ends on an event without end', async () => {
    const endless = Array.from({ length: 3 }, () => encoder.encode('x'.repeat(600_000)));
    await assert.rejects(read(endless), /too long/);
  });
});
