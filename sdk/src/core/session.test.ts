import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { memoryStorage } from '../storage/memory.ts';
import { GuildhallError } from './errors.ts';
import { createSession, type Tokens } from './session.ts';
import type { ClientStorage } from './storage.ts';

const KEY = 'session';
const tokensOf = (name: string, expiresIn = 7_200): Tokens => ({
  accessToken: `access ${name}`,
  refreshToken: `refresh ${name}`,
  expiresIn,
});
const refused = () => new GuildhallError({ code: 'invalid_refresh_token', status: 401 });

/** A session of Ada whose access token has expired, and whose refresh does not answer until the test does. */
async function arrangeExpired(storage: ClientStorage) {
  const answer = Promise.withResolvers<Tokens>();
  const asked = Promise.withResolvers<void>();
  const session = createSession<string>({
    storage,
    key: KEY,
    refresh: () => {
      asked.resolve();
      return answer.promise;
    },
  });
  const ends: string[] = [];
  session.onSessionEnded(({ reason }) => ends.push(reason));
  await session.start(tokensOf('ada', 0), 'ada');
  return { session, ends, answer, asked: asked.promise };
}

/** A storage that refuses writes from a moment on, for example because it is full. */
function fillableStorage() {
  const storage = memoryStorage();
  let isFull = false;
  return {
    ...storage,
    write: async (...change: Parameters<ClientStorage['write']>) => {
      if (isFull) throw new Error('full');
      return storage.write(...change);
    },
    fill: () => (isFull = true),
  };
}

describe('a refresh during a sign-in with a storage that is full', () => {
  test('does not end the new session if it is refused', async () => {
    const storage = fillableStorage();
    const { session, ends, answer, asked } = await arrangeExpired(storage);
    const token = session.accessToken();
    await asked;
    storage.fill();
    await session.start(tokensOf('bob'), 'bob');
    answer.reject(refused());
    assert.equal(await token, 'access bob');
    assert.deepEqual([session.current, ends], ['bob', []]);
  });

  test('does not replace the new session if it succeeds', async () => {
    const storage = fillableStorage();
    const { session, answer, asked } = await arrangeExpired(storage);
    const token = session.accessToken();
    await asked;
    storage.fill();
    await session.start(tokensOf('bob'), 'bob');
    answer.resolve(tokensOf('ada 2'));
    assert.equal(await token, 'access bob');
    assert.equal(session.current, 'bob');
  });
});

for (const [what, isRefused] of [
  ['full', (text: string | undefined) => text?.includes('ada 2') ?? false],
  ['blocked', () => true],
] as const)
  test(`a sign-out lasts if the storage is ${what} and a refresh is being stored`, async () => {
    const stored = memoryStorage();
    const write = async (...[changes, onlyIf]: Parameters<ClientStorage['write']>) => {
      await sleep(20);
      if (isRefused(changes[KEY])) throw new Error(what);
      return stored.write(changes, onlyIf);
    };
    const storage: ClientStorage = { ...stored };
    const { session, answer, asked } = await arrangeExpired(storage);
    const token = session.accessToken();
    await asked;
    storage.write = write;
    answer.resolve(tokensOf('ada 2'));
    // The first write has failed, and the removal of the used session has begun.
    await sleep(30);
    assert.equal(await session.end(), 'refresh ada');
    assert.equal(await token, undefined);
    assert.equal(session.current, undefined);
  });

test('a refused refresh takes over the session that another tab has stored at the same moment', async () => {
  const storage = memoryStorage();
  let isOther = false;
  const { session, ends, answer } = await arrangeExpired({
    ...storage,
    write: async (changes, onlyIf) => {
      if (changes[KEY] === undefined && !isOther) {
        isOther = true;
        const other = createSession<string>({ storage, key: KEY, refresh: () => Promise.reject(refused()) });
        await other.start(tokensOf('bob'), 'bob');
      }
      return storage.write(changes, onlyIf);
    },
  });
  answer.promise.catch(() => {});
  answer.reject(refused());
  assert.equal(await session.accessToken(), 'access bob');
  assert.deepEqual([session.current, ends], ['bob', []]);
});

describe('a storage that cannot be read', () => {
  const denied = async () => {
    throw new DOMException('The operation is insecure.', 'SecurityError');
  };

  test('keeps the session for the life of the page', async () => {
    const storage: ClientStorage = { get: denied, write: denied, list: denied };
    const session = createSession<string>({ storage, key: KEY, refresh: async () => tokensOf('ada 2') });
    assert.equal(await session.load(), undefined);
    await session.start(tokensOf('ada'), 'ada');
    assert.equal(await session.accessToken(), 'access ada');
    assert.equal(await session.renew('access ada'), 'access ada 2');
    await session.update('grace');
    assert.equal(await session.load(), 'grace');
    assert.equal(await session.end(), 'refresh ada 2');
    assert.deepEqual([session.current, await session.load()], [undefined, undefined]);
  });

  test('does not bring back a session that the server refused', async () => {
    const stored = memoryStorage();
    await arrangeExpired(stored);
    let refreshes = 0;
    const session = createSession<string>({
      storage: { ...stored, write: denied },
      key: KEY,
      refresh: async () => {
        refreshes++;
        throw refused();
      },
    });
    assert.equal(await session.accessToken(), undefined);
    assert.equal(await session.renew('access ada'), undefined);
    assert.deepEqual([session.current, refreshes], [undefined, 1]);
  });

  test('is read again by the next call', async () => {
    const stored = memoryStorage();
    await createSession<string>({
      storage: stored,
      key: KEY,
      refresh: () => Promise.reject(refused()),
    }).start(tokensOf('ada'), 'ada');
    let isReadable = false;
    const session = createSession<string>({
      storage: { ...stored, get: (key) => (isReadable ? stored.get(key) : denied()) },
      key: KEY,
      refresh: () => Promise.reject(refused()),
    });
    assert.equal(await session.load(), undefined);
    isReadable = true;
    assert.equal(await session.load(), 'ada');
  });
});

test('a used refresh token does not stay in a storage that has no room for the next one', async () => {
  const stored = memoryStorage();
  let hasRoom = true;
  const storage: ClientStorage = {
    ...stored,
    write: async (changes, onlyIf) => {
      if (!hasRoom && changes[KEY] !== undefined) throw new Error('full');
      return stored.write(changes, onlyIf);
    },
  };
  const session = createSession<string>({ storage, key: KEY, refresh: async () => tokensOf('ada 2') });
  await session.start(tokensOf('ada', 0), 'ada');
  hasRoom = false;
  assert.equal(await session.accessToken(), 'access ada 2');
  assert.equal(await stored.get(KEY), undefined);
  assert.equal(await session.accessToken(), 'access ada 2');
  assert.equal(session.current, 'ada');
});

test('a refresh waits as long as the server asked, in all calls', async () => {
  let refreshes = 0;
  const session = createSession<string>({
    storage: memoryStorage(),
    key: KEY,
    refresh: async () => {
      refreshes++;
      throw new GuildhallError({ code: 'rate_limited', status: 429, retryAfter: 1 });
    },
  });
  await session.start(tokensOf('ada', 0), 'ada');
  const isLimited = { name: 'GuildhallError', code: 'rate_limited' };
  for (let call = 0; call < 20; call++) await assert.rejects(session.accessToken(), isLimited);
  assert.equal(refreshes, 1);
  await new Promise((resolve) => setTimeout(resolve, 1_600));
  await assert.rejects(session.accessToken(), isLimited);
  assert.equal(refreshes, 2);
});
