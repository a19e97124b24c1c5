import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventually } from '../../../../testing/eventually.ts';
import { arrangePlayer, arrangeTenant } from '../../../../testing/arrange.ts';
import { uploadAvatar } from '../../../../testing/avatars.ts';
import { startS3Server } from '../../../../testing/s3-server.ts';
import { startTestApp } from '../../../../testing/test-app.ts';

const s3 = await startS3Server();
const app = await startTestApp({
  env: {
    LOG_LEVEL: 'silent',
    AVATAR_STORAGE_URL: `s3://pictures/of/players?region=eu-test-1&endpoint=${encodeURIComponent(s3.url)}`,
  },
});
const tenant = await arrangeTenant(app);
const ME = '/api/player-profile/me';
const upload = (bearer: string) => uploadAvatar(app, bearer);

describe('an avatar storage on S3', () => {
  test('stores, serves and removes images', async () => {
    const { accessToken } = await arrangePlayer(app, tenant);
    const first = await upload(accessToken);
    assert.equal(first.status, 200, JSON.stringify(first.body));
    const name = first.body.avatarUrl!.split('/').at(-1)!;
    const stored = s3.objects.get(`pictures/of/players/${name}`);
    assert.equal(stored?.type, 'image/png');
    const shown = await fetch(`${app.url}/avatars/${name}`);
    assert.deepEqual(Buffer.from(await shown.arrayBuffer()), stored?.bytes);
    assert.equal(shown.headers.get('content-type'), 'image/png');

    await upload(accessToken);
    assert.equal((await fetch(`${app.url}/avatars/${name}`)).status, 404);
    assert.equal(s3.objects.size, 1);
  });

  for (const trouble of ['slow down', 'silence'] as const) {
    test(`returns 503 and keeps the profile when the storage fails (${trouble})`, async () => {
      const { accessToken } = await arrangePlayer(app, tenant);
      const caller = { bearer: accessToken };
      const { avatarUrl } = (await upload(accessToken)).body;
      s3.trouble = trouble;
      try {
        const answers = await Promise.all([upload(accessToken), app.http.get(new URL(avatarUrl!).pathname)]);
        assert.deepEqual(
          answers.map(({ status, body }) => [status, body.code]),
          answers.map(() => [503, 'avatar_storage_unavailable']),
        );
        assert.equal((await app.http.get(ME, caller)).body.avatarUrl, avatarUrl);
        const cleared = await app.http.patch(ME, { avatarUrl: null }, caller);
        assert.equal(cleared.status, 200, 'the change succeeds although the image cannot be removed');
      } finally {
        s3.trouble = 'none';
      }
      assert.equal((await upload(accessToken)).status, 200);
    });
  }

  for (const trouble of ['half', 'drip'] as const) {
    test(`returns 503 if the download of an image does not end, and serves it after the storage recovers (${trouble})`, async () => {
      const { accessToken } = await arrangePlayer(app, tenant);
      const path = new URL((await upload(accessToken)).body.avatarUrl!).pathname;
      s3.trouble = trouble;
      try {
        // More than the connections of the client of S3.
        const answers = await Promise.all(Array.from({ length: 60 }, () => app.http.get(path)));
        for (const { status, body } of answers)
          assert.deepEqual([status, body.code], [503, 'avatar_storage_unavailable']);
      } finally {
        s3.trouble = 'none';
      }
      await eventually(() => s3.sending === 0);
      assert.equal((await fetch(app.url + path)).status, 200);
      assert.equal((await upload(accessToken)).status, 200);
    });
  }

  test('stops reading an image when its client disconnects', async () => {
    const { accessToken } = await arrangePlayer(app, tenant);
    const path = new URL((await upload(accessToken)).body.avatarUrl!).pathname;
    s3.trouble = 'drip';
    try {
      const client = new AbortController();
      const answer = fetch(app.url + path, { signal: client.signal }).catch(() => 'aborted');
      await eventually(() => s3.sending === 1);
      const leftAt = performance.now();
      client.abort();
      assert.equal(await answer, 'aborted');
      await eventually(() => s3.sending === 0);
      assert.ok(performance.now() - leftAt < 5_000, 'before the image takes too long');
    } finally {
      s3.trouble = 'none';
    }
  });

  test('removes an image that was stored although the upload failed', async () => {
    const { accessToken } = await arrangePlayer(app, tenant);
    const before = [...s3.objects.keys()];
    s3.trouble = 'unanswered';
    try {
      assert.equal((await upload(accessToken)).status, 503);
      await eventually(() => s3.objects.size <= before.length);
      assert.deepEqual([...s3.objects.keys()], before);
    } finally {
      s3.trouble = 'none';
    }
  });
});
