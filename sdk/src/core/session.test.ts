import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { memoryStorage } from '../storage/memory.ts';
import { GuildhallError } from './errors.ts';
import { createSession } from './session.ts';
import type { SessionEnd, Tokens } from './stored-session.ts';
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

/** Refuses the first text with the renewed session. */
function refuseOnce() {
  let isFull = true;
  return (text: string | undefined): boolean => {
    if (!text?.includes('ada 2') || !isFull) return false;
    isFull = false;
    return true;
  };
}

for (const [what, isRefused] of [
  ['full', (text: string | undefined) => text?.includes('ada 2') ?? false],
  ['full for a moment', refuseOnce()],
  ['blocked', () => true],
] as const)
  test(`a sign-out lasts if the storage is ${what} and a refresh is being stored`, async () => {
    const stored = memoryStorage();
    const storage: ClientStorage = { ...stored };
    const { session, answer, asked } = await arrangeExpired(storage);
    const token = session.accessToken();
    await asked;
    const [removed, mayConfirm] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let removals = 0;
    storage.write = async (changes, onlyIf) => {
      const isDone = isRefused(changes[KEY]) ? undefined : await stored.write(changes, onlyIf);
      if (changes[KEY] === undefined && ++removals === 1) {
        removed.resolve();
        await mayConfirm.promise;
      }
      if (isDone === undefined) throw new Error(what);
      return isDone;
    };
    answer.resolve(tokensOf('ada 2'));
    // The first write has failed, and the removal of the used session is not confirmed yet.
    await removed.promise;
    assert.equal((await session.end())?.refreshToken, 'refresh ada');
    mayConfirm.resolve();
    assert.equal(await token, undefined);
    assert.equal(session.current, undefined);
    if (what !== 'blocked') assert.equal(await stored.get(KEY), undefined);
  });

test('a renewed session is stored if the storage has room after the removal of the used one', async () => {
  const stored = memoryStorage();
  const isRefused = refuseOnce();
  const write: ClientStorage['write'] = async (changes, onlyIf) => {
    if (isRefused(changes[KEY])) throw new Error('full');
    return stored.write(changes, onlyIf);
  };
  const { session, answer } = await arrangeExpired({ ...stored, write });
  answer.resolve(tokensOf('ada 2'));
  assert.equal(await session.accessToken(), 'access ada 2');
  assert.match((await stored.get(KEY))!, /refresh ada 2/);
});

test('a sign-out lasts if the storage confirms an earlier refresh after it', async () => {
  const stored = memoryStorage();
  const storage: ClientStorage = { ...stored };
  const { session, answer, asked } = await arrangeExpired(storage);
  const token = session.accessToken();
  await asked;
  const [written, mayConfirm] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  storage.write = async (changes, onlyIf) => {
    const isDone = await stored.write(changes, onlyIf);
    if (changes[KEY] !== undefined) {
      written.resolve();
      await mayConfirm.promise;
    }
    return isDone;
  };
  answer.resolve(tokensOf('ada 2'));
  await written.promise;
  assert.equal((await session.end())?.refreshToken, 'refresh ada');
  mayConfirm.resolve();
  assert.deepEqual([await token, session.current, await stored.get(KEY)], [undefined, undefined, undefined]);
});

test('a refused refresh leaves the session that another tab has stored', async () => {
  const storage = memoryStorage();
  const { session, ends, answer, asked } = await arrangeExpired(storage);
  const token = session.accessToken();
  await asked;
  const other = createSession<string>({ storage, key: KEY, refresh: () => Promise.reject(refused()) });
  await other.start(tokensOf('bob'), 'bob');
  answer.reject(refused());
  assert.equal(await token, 'access bob');
  assert.match((await storage.get(KEY))!, /access bob/);
  assert.deepEqual(ends, []);
});

test('a refused refresh takes over the session that another tab has stored at the same moment', async () => {
  const storage = memoryStorage();
  let isOther = false;
  const { session, ends, answer } = await arrangeExpired({
    ...storage,
    write: async (changes, onlyIf) => {
      if (changes[KEY]?.includes('refused') && !isOther) {
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

describe('a refused refresh after a sign-out in another tab', () => {
  test('is reported as a sign-out', async () => {
    const storage = memoryStorage();
    const { session, ends, answer, asked } = await arrangeExpired({ ...storage });
    const token = session.accessToken();
    await asked;
    await storage.write({ [KEY]: undefined });
    answer.reject(refused());
    assert.equal(await token, undefined);
    assert.deepEqual([session.current, ends], [undefined, ['signed_out']]);
  });

  test('is reported as a sign-out if both happen at the same moment', async () => {
    const storage = memoryStorage();
    const { session, ends, answer } = await arrangeExpired({
      ...storage,
      write: async (changes, onlyIf) => {
        if (changes[KEY]?.includes('refused')) await storage.write({ [KEY]: undefined });
        return storage.write(changes, onlyIf);
      },
    });
    answer.promise.catch(() => {});
    answer.reject(refused());
    assert.equal(await session.accessToken(), undefined);
    assert.deepEqual([session.current, ends], [undefined, ['signed_out']]);
  });
});

describe('a sign-out after the server refused the session', () => {
  test('is reported once, to each client that knew the session', async () => {
    const storage = memoryStorage();
    const { session, ends, answer } = await arrangeExpired(storage);
    const [other, later] = [1, 2].map(() => {
      const client = createSession<string>({ storage, key: KEY, refresh: () => Promise.reject(refused()) });
      const itsEnds: string[] = [];
      client.onSessionEnded(({ reason }) => itsEnds.push(reason));
      return { client, ends: itsEnds };
    });
    await other!.client.load();
    answer.promise.catch(() => {});
    answer.reject(refused());
    assert.equal(await session.accessToken(), undefined);
    await later!.client.load();
    assert.deepEqual([ends, other!.ends], [['refused'], ['refused']]);

    for (let count = 0; count < 2; count++) assert.equal(await session.end(), undefined);
    await setImmediate();
    const both = ['refused', 'signed_out'];
    assert.deepEqual([ends, other!.ends, later!.ends], [both, both, []]);
  });

  test('is reported as the end of the next session only, if somebody has signed in', async () => {
    const { session, ends, answer } = await arrangeExpired(memoryStorage());
    answer.promise.catch(() => {});
    answer.reject(refused());
    assert.equal(await session.accessToken(), undefined);
    await session.start(tokensOf('bob'), 'bob');
    await session.end();
    assert.deepEqual(ends, ['refused', 'signed_out']);
  });
});

test('a sign-out lasts if an earlier read of the storage finds the session as another tab has renewed it', async () => {
  const stored = memoryStorage();
  const storage: ClientStorage = { ...stored };
  const { session } = await arrangeExpired(storage);
  const other = createSession<string>({ storage: stored, key: KEY, refresh: async () => tokensOf('ada 2') });
  assert.equal(await other.accessToken(), 'access ada 2');
  const [reading, mayAnswer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  storage.get = async (key) => {
    const text = await stored.get(key);
    reading.resolve();
    await mayAnswer.promise;
    return text;
  };
  storage.write = async (...change) => {
    mayAnswer.resolve();
    await setImmediate();
    return stored.write(...change);
  };
  const token = session.accessToken();
  await reading.promise;
  assert.equal((await session.end())?.refreshToken, 'refresh ada');
  await token;
  assert.deepEqual([session.current, await session.accessToken()], [undefined, undefined]);
  assert.equal(await stored.get(KEY), undefined);
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
    assert.equal((await session.end())?.refreshToken, 'refresh ada 2');
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

for (const [retryAfter, leastMs, mostMs] of [
  [1, 1_000, 1_500],
  [3_600, 120_000, 180_000],
] as const)
  test(`a refresh waits after a Retry-After of ${retryAfter} seconds, in all calls`, async ({ mock }) => {
    let now = 0;
    mock.method(performance, 'now', () => now);
    let refreshes = 0;
    const session = createSession<string>({
      storage: memoryStorage(),
      key: KEY,
      refresh: async () => {
        refreshes++;
        throw new GuildhallError({ code: 'rate_limited', status: 429, retryAfter });
      },
    });
    await session.start(tokensOf('ada', 0), 'ada');
    const isLimited = { name: 'GuildhallError', code: 'rate_limited' };
    for (let call = 0; call < 20; call++) await assert.rejects(session.accessToken(), isLimited);
    now = leastMs - 1;
    await assert.rejects(session.accessToken(), isLimited);
    assert.equal(refreshes, 1);
    now = mostMs + 1;
    await assert.rejects(session.accessToken(), isLimited);
    assert.equal(refreshes, 2);
  });

test('a refresh is not repeated for longer than the server repeats its answer', async ({ mock }) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  mock.method(Math, 'random', () => 1);
  let seconds = 0;
  mock.method(performance, 'now', () => seconds * 1_000);
  const sentAt: number[] = [];
  const session = createSession<string>({
    storage: memoryStorage(),
    key: KEY,
    refresh: async () => {
      sentAt.push(seconds);
      await new Promise((resolve) => setTimeout(resolve, 14_000));
      throw new GuildhallError({ code: 'unavailable', status: 503, retryAfter: 10 });
    },
  });
  await session.start(tokensOf('ada', 0), 'ada');
  let code: string | undefined;
  void session.accessToken().catch((error: GuildhallError) => (code = error.code));
  for (; code === undefined && seconds < 300; seconds++) {
    await setImmediate();
    mock.timers.tick(1_000);
  }
  assert.equal(code, 'unavailable');
  assert.ok(sentAt.length === 2 && sentAt[1]! < 60, `sent after ${sentAt.join(', ')} seconds`);
});

describe('two clients of one page with the same storage', () => {
  const refresh = () => Promise.reject(refused());

  test('have the same player at any time', async () => {
    const storage = memoryStorage();
    const [one, other] = [1, 2].map(() => createSession<string>({ storage, key: KEY, refresh }));
    const ends: string[] = [];
    other!.onSessionEnded(({ reason }) => ends.push(reason));
    assert.equal(await other!.load(), undefined);

    await one!.start(tokensOf('ada'), 'ada');
    await setImmediate();
    assert.deepEqual([other!.current, await other!.accessToken()], ['ada', 'access ada']);

    await one!.end();
    await setImmediate();
    assert.deepEqual([other!.current, ends], [undefined, ['signed_out']]);
  });

  test('both learn that the server refused the session', async () => {
    const storage = memoryStorage();
    const [one, other] = [1, 2].map(() => createSession<string>({ storage, key: KEY, refresh }));
    const ends: SessionEnd[] = [];
    other!.onSessionEnded((end) => ends.push(end));
    await other!.load();
    await one!.start(tokensOf('ada', 0), 'ada');
    await setImmediate();
    assert.equal(other!.current, 'ada');

    assert.equal(await one!.accessToken(), undefined);
    await setImmediate();
    assert.deepEqual(
      ends.map(({ reason, error }) => [reason, error?.code, error?.status]),
      [['refused', 'invalid_refresh_token', 401]],
    );
    const later = createSession<string>({ storage, key: KEY, refresh });
    assert.equal(await later.load(), undefined);
    await later.start(tokensOf('bob'), 'bob');
    assert.equal(await other!.accessToken(), 'access bob');
  });

  test('have different players if their keys differ', async () => {
    const storage = memoryStorage();
    const [left, right] = ['left', 'right'].map((key) => createSession<string>({ storage, key, refresh }));
    await right!.start(tokensOf('bob'), 'bob');
    await left!.start(tokensOf('ada'), 'ada');
    assert.deepEqual([left!.current, right!.current], ['ada', 'bob']);
  });
});

test('a client that is closed listens to its storage no more, and keeps the session there', async () => {
  const listeners = new Set<() => void>();
  const storage: ClientStorage = {
    ...memoryStorage(),
    watch: (_key, listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const [one, other] = [1, 2].map(() =>
    createSession<string>({ storage, key: KEY, refresh: () => Promise.reject(refused()) }),
  );
  await other!.start(tokensOf('ada'), 'ada');
  await one!.load();
  other!.close();
  assert.equal(listeners.size, 1);
  await one!.end();
  await setImmediate();
  assert.equal(other!.current, 'ada');
  await one!.start(tokensOf('bob'), 'bob');
  one!.close();
  assert.equal(listeners.size, 0);
  assert.match((await storage.get(KEY)) ?? '', /"bob"/);
});

test('a storage that cannot notify of changes of other pages keeps the session', async () => {
  const storage: ClientStorage = {
    ...memoryStorage(),
    // A browser that blocks the storage of a page may block its channels to other pages too.
    watch: () => {
      throw new Error('blocked');
    },
  };
  const session = createSession<string>({ storage, key: KEY, refresh: () => Promise.reject(refused()) });
  await session.start(tokensOf('ada'), 'ada');
  assert.equal(await session.load(), 'ada');
});
