import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { openChannelPair } from '../testing/channel-pair.ts';
import { openChannel } from './channel.ts';

describe('openChannel', () => {
  test('returns to each request its own response, in any order', async () => {
    const later = Promise.withResolvers<string>();
    const { primary } = openChannelPair({
      later: () => later.promise,
      double: (number: number) => 2 * number,
    });
    const first = primary.request<string>('later');
    const doubled = await Promise.all([1, 2, 3].map((number) => primary.request<number>('double', number)));
    assert.deepEqual(doubled, [2, 4, 6]);
    later.resolve('at last');
    assert.equal(await first, 'at last');
  });

  test('rejects a request that fails, or that has no handler or response', async () => {
    const { primary } = openChannelPair({
      fail() {
        throw new Error('no room');
      },
      never: () => new Promise(() => {}),
    });
    await assert.rejects(primary.request('fail'), /no room/);
    await assert.rejects(primary.request('unknown'));
    await assert.rejects(primary.request('never', null, 10), /does not respond/);
  });

  test('accepts a response that arrived while this process was blocked for longer than the time limit', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    let receive: (message: object) => void;
    const channel = openChannel(
      {
        on: (_event, listener) => (receive = listener),
        send: ({ requests }: { requests?: [number][] }) =>
          setImmediate(() => receive({ responses: requests!.map(([id]) => [id, 'done']) })),
      },
      {},
    );
    const response = channel.request<string>('work', null, 10);
    await nextTurn();
    // The response waits, and the timer fires before this process reads it.
    context.mock.timers.tick(10);
    assert.equal(await response, 'done');
  });

  test('rejects pending and later requests when the other process has ended', async () => {
    const { primary } = openChannelPair({ never: () => new Promise(() => {}) });
    const pending = primary.request('never');
    primary.close();
    await assert.rejects(pending, /has ended/);
    await assert.rejects(primary.request('never'), /has ended/);
  });
});
