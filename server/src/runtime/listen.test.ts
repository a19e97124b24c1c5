import assert from 'node:assert/strict';
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { describe, test } from 'node:test';
import Fastify from 'fastify';
import type { App } from '../http/server.ts';
import { listen } from './listen.ts';

describe('listen', () => {
  test('listens on one address of a name with several, because the shutdown drains only one server', async (context) => {
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

  test('proposes the wildcard of IPv6 on a machine whose network has no IPv4', async (context) => {
    const loopback = { address: '127.0.0.1', family: 'IPv4', internal: true };
    const network = { address: '2001:db8::5', family: 'IPv6', internal: false };
    const refusedWith = async (...addresses: object[]): Promise<string> => {
      const mocked = context.mock.method(os, 'networkInterfaces', () => ({ all: addresses }) as never);
      syncBuiltinESMExports();
      try {
        await listen(Fastify(), { host: '203.0.113.9', port: 0 });
      } catch (error) {
        return (error as Error).message;
      } finally {
        mocked.mock.restore();
        syncBuiltinESMExports();
      }
      return assert.fail('It listens.');
    };
    assert.match(await refusedWith(loopback, network), /: HOST=:: npm start$/);
    assert.match(await refusedWith(loopback), /: HOST=0\.0\.0\.0 npm start$/);
    assert.match(
      await refusedWith(loopback, network, { ...loopback, internal: false }),
      /: HOST=0\.0\.0\.0 npm start$/,
    );
  });

  test('returns an address on a machine without IPv4', async (context) => {
    const app = Fastify();
    // As Fastify does for 0.0.0.0 if no interface has an IPv4 address.
    context.mock.method(app, 'listen', () => Promise.resolve(undefined));
    const url = await listen(app, { host: '0.0.0.0', port: 8080 });
    assert.equal(url, 'http://0.0.0.0:8080');
  });
});
