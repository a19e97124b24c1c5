import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openChannelPair } from '../testing/channel-pair.ts';

describe('openChannel', () => {
  test('answers each question with its own answer, in any order', async () => {
    const later = Promise.withResolvers<string>();
    const { asking } = openChannelPair({
      later: () => later.promise,
      double: (number: number) => 2 * number,
    });
    const first = asking.ask<string>('later');
    const doubled = await Promise.all([1, 2, 3].map((number) => asking.ask<number>('double', number)));
    assert.deepEqual(doubled, [2, 4, 6]);
    later.resolve('at last');
    assert.equal(await first, 'at last');
  });

  test('rejects a question whose answer fails, or that nobody answers', async () => {
    const { asking } = openChannelPair({
      fail() {
        throw new Error('no room');
      },
      never: () => new Promise(() => {}),
    });
    await assert.rejects(asking.ask('fail'), /no room/);
    await assert.rejects(asking.ask('unknown'));
    await assert.rejects(asking.ask('never', null, 10), /does not answer/);
  });

  test('rejects open and later questions when the other process has ended', async () => {
    const { asking } = openChannelPair({ never: () => new Promise(() => {}) });
    const open = asking.ask('never');
    asking.close();
    await assert.rejects(open, /has ended/);
    await assert.rejects(asking.ask('never'), /has ended/);
  });
});
