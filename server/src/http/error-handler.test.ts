import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import Fastify from 'fastify';
import { errorHandler } from './error-handler.ts';

const app = Fastify();
let thrown: object = {};
app.setErrorHandler(errorHandler);
app.get('/', () => {
  throw Object.assign(new Error('failed'), thrown);
});

describe('errorHandler', () => {
  test('returns 503 if PostgreSQL cannot be connected to, and 500 for a file that cannot be opened', async () => {
    const statusOf = async (code: string, syscall: string) => {
      thrown = { code, syscall };
      return (await app.inject('/')).statusCode;
    };
    for (const code of ['ECONNREFUSED', 'EACCES', 'EPERM', 'EHOSTUNREACH'])
      assert.equal(await statusOf(code, 'connect'), 503, code);
    assert.equal(await statusOf('EAI_AGAIN', 'getaddrinfo'), 503);
    assert.equal(await statusOf('EACCES', 'open'), 500);
  });

  test('returns 503 if PostgreSQL is read-only, or the role or the database is closed', async () => {
    for (const code of ['25006', '25P03', '25P04', '28P01', '28000', '3D000', '53300', '57P03']) {
      thrown = { code };
      const answer = await app.inject('/');
      assert.deepEqual([answer.statusCode, answer.headers['retry-after']], [503, '5'], code);
    }
  });
});
