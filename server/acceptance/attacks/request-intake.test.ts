import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../eventually.ts';
import { accepted, call, signIn } from '../http.ts';
import { startVictim, withstands } from './victim.ts';

const MIB = 1024 * 1024;
const ATTACK_MS = 2500;
const BETWEEN_ATTACKS_MS = 250;
const PASSWORD = 'correct horse battery staple';

const victim = await startVictim({ TRUST_PROXY: 'on' });
const { url, honest } = victim;
const json = { 'content-type': 'application/json' };
/** The header of the proxy, with another network for each number. */
const from = (network: number) => ({ 'x-forwarded-for': `198.51.${network >> 8}.${network & 255}` });
const someEmail = () => `${randomUUID()}@example.com`;

/** A member in which 3 bytes become an object of 64 bytes. */
const objects = (bytes: number) => `"x":[${'{},'.repeat(Math.floor((bytes - 100) / 3))}{}]`;

/** Sends only the head of a request and the beginning of its body. */
function begin(path: string, headers: Record<string, string>, beginning: string) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let answer = '';
  socket.on('data', (text) => (answer += String(text)));
  let over = false;
  socket.on('error', () => {});
  socket.on('close', () => (over = true));
  const head = Object.entries({ host: 'x', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST ${path} HTTP/1.1\r\n${head.join('')}\r\n${beginning}`);
  return { answer: () => answer, isOver: () => over, leave: () => socket.destroy() };
}

/** Repeats a short attack for some seconds. */
async function lasting(attack: () => Promise<unknown>): Promise<void> {
  const end = performance.now() + ATTACK_MS;
  while (performance.now() < end) {
    await attack();
    await sleep(BETWEEN_ATTACKS_MS);
  }
}

const signInHonest = (username: string) => signIn(url, honest.gameKey, username);

describe('memory', () => {
  test('rejects 64 bodies of 1 MiB at sign-up and login before parsing them', async (t) => {
    const body = `{"email":"${someEmail()}","password":"${PASSWORD}",${objects(MIB - 1000)}}`;
    const headers = { ...json, 'content-length': String(body.length) };
    await withstands(t, victim, () =>
      lasting(async () => {
        const attackers = ['signup', 'login'].flatMap((path) =>
          Array.from({ length: 32 }, () => begin(`/api/saas-auth/${path}`, headers, body)),
        );
        await eventually(() => attackers.every(({ answer, isOver }) => isOver() || answer() !== ''));
        for (const { answer } of attackers) assert.match(answer(), /^(HTTP\/1\.1 413 |$)/);
        assert.ok(attackers.some(({ answer }) => answer().includes('"code":"body_too_large"')));
        for (const { leave } of attackers) leave();
      }),
    );
  });

  test('accepts batches of other tenants while 100 announced bodies of 16 MiB never arrive', async (t) => {
    const { accessToken, playerId } = await signInHonest('eve');
    const headers = { ...json, 'x-game-key': honest.gameKey, authorization: `Bearer ${accessToken}` };
    const bodies: ReturnType<typeof begin>[] = [];
    t.after(() => bodies.forEach(({ leave }) => leave()));
    await withstands(t, victim, async () => {
      for (let body = 0; body < 100; body++)
        bodies.push(
          begin(
            '/api/game/player-events',
            { ...headers, 'content-length': String(16 * MIB) },
            ' '.repeat(MIB),
          ),
        );
      // At most 24 MiB of one tenant may be in flight.
      const refused = () => bodies.filter(({ answer }) => answer().startsWith('HTTP/1.1 503 '));
      await eventually(() => refused().length >= 76);
      for (const { answer } of refused()) assert.match(answer(), /\r\nretry-after: \d/);
      const event = {
        playerId,
        eventKey: 'kill',
        idempotencyKey: randomUUID(),
        occurredAt: new Date().toISOString(),
      };
      await accepted('POST', `${url}${honest.at}/event-definitions`, {
        body: { eventKey: 'kill', eventScope: 'player' },
        bearer: honest.accessToken,
      });
      await accepted('POST', `${url}/api/game/player-events`, { headers, body: { events: [event] } }, 201);
      await sleep(ATTACK_MS);
    });
  });
});

describe('the event loop', () => {
  test('rejects 16 MiB of objects before parsing them, and accepts a batch with unknown members', async (t) => {
    const { accessToken, playerId } = await signInHonest('mallory');
    const headers = { ...json, 'x-game-key': honest.gameKey, authorization: `Bearer ${accessToken}` };
    const post = async (body: string) => {
      let over = false;
      let longest = 0;
      const watch = (async () => {
        while (!over) {
          const began = performance.now();
          await fetch(`${url}/health/live`);
          longest = Math.max(longest, performance.now() - began);
          await sleep(5);
        }
      })();
      const answer = await fetch(`${url}/api/game/player-events`, { method: 'POST', headers, body });
      const result = (await answer.json()) as { code?: string; records?: unknown[] };
      over = true;
      await watch;
      return { status: answer.status, longest, ...result };
    };
    const extra = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`extra${index}`, index]));
    const legal = JSON.stringify({
      events: Array.from({ length: 10_000 }, (_, index) => ({
        playerId,
        eventKey: 'kill',
        idempotencyKey: `legal ${index}`,
        value: index,
        occurredAt: new Date().toISOString(),
        ...extra,
      })),
    });
    const hostile = [
      `[${'{},'.repeat((16 * MIB) / 3 - 1)}{}]`,
      `[{${Array.from({ length: 300_000 }, (_, index) => `"${index}":1`).join(',')},"value":1234567890123456789}]`,
    ];
    const batch = await post(legal);
    assert.equal(batch.status, 201);
    assert.equal(batch.records?.length, 10_000);
    await withstands(t, victim, () =>
      lasting(async () => {
        for (const body of hostile) {
          const refused = await post(body);
          assert.deepEqual([refused.status, refused.code], [400, 'batch_size']);
          const figures = [refused, batch].map(({ longest }) => `${longest.toFixed(0)} ms`);
          t.diagnostic(`slowest other answer: ${figures[0]} beside it, ${figures[1]} beside a legal batch`);
          await sleep(BETWEEN_ATTACKS_MS);
        }
      }),
    );
  });
});

describe('uploads', () => {
  test('accepts uploads of other networks during 80 slow uploads', async (t) => {
    const tokens = await Promise.all(Array.from({ length: 80 }, (_, index) => signInHonest(`slow${index}`)));
    const uploads: ReturnType<typeof begin>[] = [];
    t.after(() => uploads.forEach(({ leave }) => leave()));
    const form = { 'content-type': 'multipart/form-data; boundary=x' };
    await withstands(t, victim, async () => {
      for (const { accessToken } of tokens)
        uploads.push(
          begin(
            '/api/player-profile/me/avatar',
            {
              ...form,
              ...from(1),
              authorization: `Bearer ${accessToken}`,
              'content-length': String(2 * MIB),
            },
            '--x\r\ncontent-disposition: form-data; name="avatarFile"; filename="a"\r\n\r\n',
          ),
        );
      const { accessToken } = await signInHonest('honest uploader');
      const picture = new FormData();
      picture.set('avatarFile', new Blob(['no picture']), 'a.png');
      const answer = await fetch(`${url}/api/player-profile/me/avatar`, {
        method: 'POST',
        headers: { ...from(2), authorization: `Bearer ${accessToken}` },
        body: picture,
      });
      assert.equal(answer.status, 400);
      assert.equal(((await answer.json()) as { code: string }).code, 'avatar_type');
      await sleep(ATTACK_MS);
    });
  });
});

describe('sign-up', () => {
  const signUp = (network: number) =>
    call('POST', `${url}/api/saas-auth/signup`, {
      headers: from(network),
      body: { email: someEmail(), password: PASSWORD },
    });

  test('accepts logins during sign-ups on 70 connections from different networks', async (t) => {
    const body = { email: someEmail(), password: PASSWORD };
    await accepted('POST', `${url}/api/saas-auth/signup`, { body });
    await withstands(t, victim, async () => {
      let over = false;
      const flood = Array.from({ length: 70 }, async (_, network) => {
        while (!over) {
          const { status, headers } = await signUp(network + 100);
          assert.ok(status === 201 || (status === 503 && headers.has('retry-after')), String(status));
          if (status === 503) await sleep(BETWEEN_ATTACKS_MS);
        }
      });
      for (let login = 0; login < 5; login++)
        await accepted('POST', `${url}/api/saas-auth/login`, { body }, 200);
      over = true;
      await Promise.all(flood);
    });
  });

  test('rejects the 301st sign-up of a network within 10 minutes, and accepts another network', async () => {
    const statuses = new Map<number, number>();
    await Promise.all(
      Array.from({ length: 310 }, async () => {
        const { status, headers } = await signUp(3);
        if (status !== 201) assert.ok(headers.has('retry-after'));
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }),
    );
    assert.equal(statuses.get(429), 10);
    const other = await signUp(4);
    assert.ok([201, 503].includes(other.status), String(other.status));
  });
});
