import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ProblemError } from '../core/problem.ts';
import { hashPassword, verifyPassword } from './passwords.ts';

const isBusy = (error: unknown): boolean => error instanceof ProblemError && error.code === 'busy';

describe('password hashing', () => {
  test('serves a login before waiting sign-ups', async () => {
    const stored = await hashPassword('correct horse', null);
    let hashed = 0;
    const signUps = Array.from({ length: 30 }, () =>
      hashPassword('battery staple', null).then(() => hashed++),
    );
    assert.equal(await verifyPassword('correct horse', stored, null), true);
    assert.ok(hashed <= 4, `${hashed} sign-ups came first`);
    await Promise.all(signUps);
  });

  test('rejects sign-ups when their queue is full, and still accepts a login', async () => {
    const signUps = await Promise.allSettled([
      ...Array.from({ length: 80 }, () => hashPassword('battery staple', null)),
      verifyPassword('wrong', undefined, null),
    ]);
    const login = signUps.pop();
    assert.equal(login?.status, 'fulfilled');
    const refused = signUps.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    assert.ok(refused.length >= 12, `${refused.length} of 80`);
    assert.ok(refused.every(({ reason }) => isBusy(reason)));
  });

  test('serves a network before the waiting logins of another one, and rejects more than 64 of a network', async () => {
    let compared = 0;
    const hostile = Array.from({ length: 80 }, () =>
      verifyPassword('wrong', undefined, '198.51.100.1').then(() => compared++),
    );
    const refused = Promise.allSettled(hostile);
    assert.equal(await verifyPassword('wrong', undefined, '203.0.113.1'), false);
    assert.ok(compared <= 4, `${compared} logins of the other network came first`);
    const reasons = (await refused).filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    assert.ok(reasons.length >= 12, `${reasons.length} of 80`);
    assert.ok(reasons.every(({ reason }) => isBusy(reason)));
  });
});
