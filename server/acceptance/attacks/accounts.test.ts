import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import { eventually } from '../eventually.ts';
import { call } from '../http.ts';
import { exitOf, spawnCommand } from '../server-process.ts';
import { startVictim } from './victim.ts';

const victim = await startVictim({ HOST: '0.0.0.0', LOG_LEVEL: 'warn' });
const { url, honest, dataDir } = victim;
const adminEmail = 'admin@example.com';
/** Created by bootstrap. */
let admin = { bearer: '', password: '' };

const post = (path: string, body: object, bearer?: string) =>
  call('POST', `${url}/api/saas-auth/${path}`, { body, bearer });
const get = (path: string, bearer: string) => call('GET', url + path, { bearer });

describe('the first platform admin', () => {
  test('is not the first sign-up on a server that is reachable from other machines', async () => {
    // The studio of the victim is the first account of the deployment.
    const me = await get('/api/saas-auth/me', honest.accessToken);
    assert.equal(me.body.user.isPlatformAdmin, false);
    assert.equal((await get('/api/admin/outbox', honest.accessToken)).status, 403);
    assert.match(victim.server.output(), /This deployment has no platform administrator.+bootstrap --email/);
  });

  test('is created by bootstrap after other accounts have signed up', async () => {
    const bootstrap = spawnCommand(`bootstrap --email ${adminEmail}`, { dataDir });
    assert.equal(await exitOf(bootstrap.child), 0, bootstrap.output());
    const password = bootstrap.output().trim().split(' ').at(-1)!;
    const login = await post('login', { email: adminEmail, password });
    assert.equal(login.status, 200);
    assert.equal(login.body.user.isPlatformAdmin, true);
    admin = { bearer: login.body.accessToken, password };
  });
});

test('guesses of codes in many concurrent logins share one budget', async () => {
  await attackSecondFactor(admin.bearer, admin.password);
});

test('the owner of an address gets a valid token during a flood of password resets', async () => {
  await floodResets(admin.bearer);
});

/** Guesses codes in many concurrent logins, with the right password. */
async function attackSecondFactor(bearer: string, password: string): Promise<void> {
  const { body } = await post('totp/enroll', {}, bearer);
  const confirmed = await post('totp/confirm', { code: codeOf(body.secret, 0) }, bearer);
  assert.equal(confirmed.status, 200);
  const logins = await Promise.all(
    Array.from({ length: 10 }, () => post('login', { email: adminEmail, password })),
  );
  const right = [-1, 0, 1, 2].map((offset) => codeOf(body.secret, offset));
  const guesses = Array.from({ length: 300 }, (_, guess) => String(guess).padStart(6, '0'));
  const answers = await Promise.all(
    guesses
      .filter((code) => !right.includes(code))
      .map((code, index) => post('totp/verify', { mfaToken: logins[index % 10]!.body.mfaToken, code })),
  );
  assert.equal(answers.filter(({ status }) => status === 401).length, 10, '10 guesses are compared');
  assert.ok(answers.every(({ status }) => status === 401 || status === 429));
}

/** Requests password resets for one address, and for many that do not exist. */
async function floodResets(bearer: string): Promise<void> {
  const email = 'victim@example.com';
  assert.equal((await post('signup', { email, password: 'correct horse' })).status, 201);
  const requests = Array.from({ length: 600 }, (_, index) =>
    post('password-reset/request', { email: index % 2 ? email : `nobody${index}@example.com` }),
  );
  const answers = await Promise.all(requests);
  assert.equal(answers.filter(({ status }) => status === 202).length, 200, 'the limit of one network');
  assert.ok(answers.every(({ status }) => status === 202 || status === 429));
  const resets = async (): Promise<{ text: string }[]> => {
    const { body } = await get('/api/admin/outbox?limit=200', bearer);
    return body.items.filter(
      (mail: { to: string; subject: string }) => mail.to === email && mail.subject.startsWith('Reset'),
    );
  };
  await eventually(async () => (await resets()).length > 0);
  const mails = await resets();
  assert.ok(mails.length >= 1 && mails.length <= 3, `${mails.length} mails`);
  const token = /^ {4}(\S+)$/m.exec(mails[0]!.text)?.[1];
  const reset = await post('password-reset/confirm', { token, newPassword: 'battery staple' });
  assert.equal(reset.status, 200, 'the owner of the address can reset the password');
}

/** Returns the code of an authenticator app (RFC 6238), `offset` time steps after the current one. */
function codeOf(secret: string, offset: number): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...secret].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => parseInt(byte, 2)));
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + offset));
  const mac = createHmac('sha1', key).update(step).digest();
  return String((mac.readUInt32BE(mac[19]! % 16) % 2 ** 31) % 10 ** 6).padStart(6, '0');
}
