import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { smallPicture } from '../../../../testing/avatars.ts';
import { renderAvatar } from './render-avatar.ts';

describe('renderAvatar', () => {
  test('renders an image before the waiting images of another network, and rejects more than 16 of a network', async () => {
    let rendered = 0;
    const hostile = Array.from({ length: 20 }, () =>
      renderAvatar(smallPicture, '198.51.100.1').then(() => rendered++),
    );
    const all = Promise.allSettled(hostile);
    assert.equal((await renderAvatar(smallPicture, '203.0.113.1')).extension, 'png');
    assert.ok(rendered <= 6, `${rendered} images of the other network came first`);
    const refused = (await all).filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    assert.deepEqual(
      refused.map(({ reason }) => reason.code),
      ['busy', 'busy'],
    );
  });
});
