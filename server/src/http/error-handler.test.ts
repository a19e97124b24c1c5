import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import Fastify from 'fastify';
import pg from 'pg';
import { ProblemError } from '../core/problem.ts';
import { errorHandler } from './error-handler.ts';

let lines: { reason?: string; code?: string; err?: { message: string }; msg: string }[] = [];
const stream = { write: (line: string) => void lines.push(JSON.parse(line)) };
const app = Fastify({ logger: { level: 'warn', stream } });
let thrown: object = {};
app.setErrorHandler(errorHandler);
app.get('/', () => {
  throw thrown instanceof Error ? thrown : Object.assign(new Error('failed'), thrown);
});

app.get('/stopping', () => {
  throw new ProblemError('unavailable');
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
    assert.equal(await statusOf('ENOENT', 'connect'), 503, 'the folder of the socket');
    for (const code of ['EACCES', 'ENOENT']) assert.equal(await statusOf(code, 'open'), 500, code);
  });

  test('returns 503 if PostgreSQL is read-only, or the role or the database is closed', async () => {
    for (const code of ['25006', '25P03', '25P04', '28P01', '28000', '3D000', '53300', '57P03', '58P01']) {
      thrown = { code };
      const answer = await app.inject('/');
      assert.deepEqual([answer.statusCode, answer.headers['retry-after']], [503, '5'], code);
    }
  });

  test('returns 503 busy if all attempts ended in a deadlock', async () => {
    thrown = { code: '40P01' };
    lines = [];
    const answer = await app.inject('/');
    assert.deepEqual(
      [answer.statusCode, answer.json().code, answer.headers['retry-after']],
      [503, 'busy', '1'],
    );
    assert.deepEqual(
      lines.map(({ code, msg }) => [code, msg]),
      [['busy', 'request refused']],
    );
  });

  test('returns 503 if a node of a cluster of Citus dies during the request', async () => {
    for (const message of [
      'postmaster was shut down, exiting',
      'failure on connection marked as essential: 10.0.0.2:5432',
    ]) {
      thrown = { code: 'XX000', message };
      const answer = await app.inject('/');
      assert.deepEqual([answer.statusCode, answer.headers['retry-after']], [503, '5'], message);
    }
  });

  test('logs why the database is unavailable, and nothing about it if the server stops', async () => {
    thrown = { code: '53300', message: 'too many clients' };
    lines = [];
    assert.equal((await app.inject('/')).statusCode, 503);
    const logged = lines.map(({ reason, msg }) => ({ reason, msg }));
    assert.deepEqual(logged, [{ reason: 'too many clients', msg: 'the database is unavailable' }]);
    lines = [];
    assert.equal((await app.inject('/stopping')).statusCode, 503);
    const pool = new pg.Pool();
    await pool.end();
    thrown = await pool.connect().then(
      () => assert.fail('the pool is closed'),
      (error: Error) => error,
    );
    assert.equal((await app.inject('/')).statusCode, 503);
    assert.deepEqual(lines, []);
  });

  test('logs the code of a refusal with its cause, so that an operator finds what to do', async () => {
    thrown = new ProblemError(
      'avatar_storage_unavailable',
      {},
      { cause: new Error('no space left on device') },
    );
    lines = [];
    assert.equal((await app.inject('/')).statusCode, 503);
    const logged = lines.map(({ code, err, msg }) => ({ code, message: err?.message, msg }));
    assert.deepEqual(logged, [
      { code: 'avatar_storage_unavailable', message: 'no space left on device', msg: 'request refused' },
    ]);
  });
});
