import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type pg from 'pg';
import { startTestApp } from '../testing/test-app.ts';
import { runCopy } from './copy.ts';

const app = await startTestApp();
const COPY = 'COPY copied FROM STDIN';
const ROWS_PER_CHUNK = 1_000;

/** Yields the numbers from 1 in chunks of text, in turns of the event loop. */
async function* numbers(count: number): AsyncGenerator<Buffer> {
  for (let from = 1; from <= count; from += ROWS_PER_CHUNK) {
    const length = Math.min(ROWS_PER_CHUNK, count - from + 1);
    yield Buffer.from(Array.from({ length }, (_, index) => `${from + index}\tsome text\n`).join(''));
    await new Promise(setImmediate);
  }
}

/** Runs a test with a connection that has an empty table `copied`. */
async function withTable(run: (client: pg.PoolClient) => Promise<void>): Promise<void> {
  const client = await app.owner.connect();
  try {
    await client.query('CREATE TEMP TABLE copied (number int PRIMARY KEY, text text)');
    await run(client);
  } finally {
    client.release(true);
  }
}

const countOf = async (client: pg.PoolClient): Promise<number> =>
  (await client.query('SELECT count(*)::int AS count FROM copied')).rows[0].count;

describe('runCopy', () => {
  for (const [name, count] of [
    ['no rows', 0],
    ['one chunk', 10],
    ['more than the buffer of a socket', 500_000],
  ] as const)
    test(`stores ${name}`, () =>
      withTable(async (client) => {
        await runCopy(client, COPY, numbers(count));
        assert.equal(await countOf(client), count);
      }));

  test('sends no data before the statement if an earlier query is running', () =>
    withTable(async (client) => {
      const earlier = client.query('SELECT pg_sleep(0.05)');
      await Promise.all([earlier, runCopy(client, COPY, numbers(10))]);
      assert.equal(await countOf(client), 10);
    }));

  for (const [name, stored, text, code] of [
    ['the first row is refused', 1, COPY, '23505'],
    ['the last row is refused', 200_000, COPY, '23505'],
    ['the table does not exist', undefined, 'COPY missing FROM STDIN', '42P01'],
    ['a later statement of the text fails', undefined, `${COPY}; SELECT 1 / 0`, '22012'],
  ] as const)
    test(`stores nothing and keeps the connection usable if ${name}`, () =>
      withTable(async (client) => {
        if (stored) await client.query('INSERT INTO copied VALUES ($1)', [stored]);
        await assert.rejects(runCopy(client, text, numbers(200_000)), { code });
        assert.equal(await countOf(client), stored ? 1 : 0);
        await client.query('TRUNCATE copied');
        await runCopy(client, COPY, numbers(10));
        assert.equal(await countOf(client), 10);
      }));

  test('rejects if the connection is lost before the end of the data', () =>
    withTable(async (client) => {
      const { pid } = (await client.query('SELECT pg_backend_pid() AS pid')).rows[0];
      client.on('error', () => {});
      async function* endless(): AsyncGenerator<Buffer> {
        yield* numbers(ROWS_PER_CHUNK);
        await app.owner.query('SELECT pg_terminate_backend($1::int)', [pid]);
        for (;;) {
          yield Buffer.from('0\ttext\n'.repeat(10_000));
          await new Promise(setImmediate);
        }
      }
      await assert.rejects(runCopy(client, COPY, endless()));
    }));
});
