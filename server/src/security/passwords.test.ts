import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HashingBusyError, hashPassword, verifyPassword } from './passwords.ts';

describe('password hashing', () => {
  test('serves a login before waiting sign-ups', async () => {
    const stored = await hashPassword('correct horse');
    let hashed = 0;
    const signUps = Array.from({ length: 30 }, () => hashPassword('battery staple').then(() => hashed++));
    assert.equal(await verifyPassword('correct horse', stored), true);
    assert.ok(hashed <= 4, `${hashed} sign-ups came first`);
    await Promise.all(signUps);
  });

  test('rejects sign-ups when their queue is full, and still accepts a login', async () => {
    const signUps = await Promise.allSettled([
      ...Array.from({ length: 80 }, () => hashPassword('battery staple')),
      verifyPassword('wrong', undefined),
    ]);
    const login = signUps.pop();
    assert.equal(login?.status, 'fulfilled');
    const refused = signUps.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    assert.ok(refused.length >= 12, `${refused.length} of 80`);
    assert.ok(refused.every(({ reason }) => reason instanceof HashingBusyError));
  });
});
