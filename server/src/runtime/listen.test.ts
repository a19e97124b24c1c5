import assert from 'node:assert/strict';
import dns from 'node:dns';
import { describe, test } from 'node:test';
import Fastify from 'fastify';
import type { App } from '../http/server.ts';
import { listen } from './listen.ts';

describe('listen', () => {
  test('opens one server for a name with several addresses, because only one is drained', async (context) => {
    context.mock.method(
      dns,
      'lookup',
      (host: string, _options: object, done: (...found: unknown[]) => void) => {
        const found = host === 'localhost' ? ['127.0.0.1', '127.0.0.2'] : [host];
        done(
          null,
          found.map((address) => ({ address, family: 4 })),
        );
      },
    );
    const app = Fastify() as unknown as App;
    await listen(app, { host: 'localhost', port: 0 });
    assert.equal(app.addresses().length, 1);
    await app.close();
  });
});
