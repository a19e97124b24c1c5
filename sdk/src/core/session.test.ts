import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
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
