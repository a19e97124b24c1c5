import assert from 'node:assert/strict';
import { after } from 'node:test';

/** The methods of a session that only its own client calls. */
export const OWN_SESSION = ['start', 'update', 'end', 'accessToken', 'renew', 'close'].map(
  (name) => `session.${name}`,
);

/** `cancellation.test.ts` calls it with each client. */
const WITH = 'with';

/**
 * Notes which methods of a client the tests of a file call. After them, it fails the file if a method was never called.
 * `except` are prefixes of methods that another file covers.
 */
export function trackCalls(except: string[] = []) {
  const known = new Set<string>();
  const called = new Set<string>();

  function track<Part extends object>(part: Part, prefix = ''): Part {
    // Getters come from the prototype, so that they stay live.
    const tracked = Object.create(part) as Part;
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(part))) {
      const path = prefix + name;
      if (typeof value === 'function' && path !== WITH) {
        known.add(path);
        const noted = (...given: unknown[]) => {
          called.add(path);
          return value.apply(part, given);
        };
        Object.defineProperty(tracked, name, { value: noted, enumerable: true });
      } else if (typeof value === 'object' && value !== null)
        Object.defineProperty(tracked, name, { value: track(value, `${path}.`), enumerable: true });
    }
    return tracked;
  }

  after(() => {
    const missing = [...known].filter(
      (path) => !called.has(path) && !except.some((prefix) => path.startsWith(prefix)),
    );
    assert.deepEqual(missing, [], 'every method of the client is called by a test');
    assert.ok(known.size > 0);
  });
  return <Client extends object>(client: Client): Client => track(client);
}
