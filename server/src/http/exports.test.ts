import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { eventually } from '../testing/eventually.ts';
import { ProblemError } from '../core/problem.ts';
import { createAcquireSlots } from '../processes/concurrency-slots.ts';
import { createExports, type ExportLimits, type Exports } from './exports.ts';

// An open export checks its caller each minute, and the process can last longer.
const by = (keyId: string) => ({ keyCaller: { keyId }, admitCaller: async () => {} }) as FastifyRequest;

async function* pieces(...texts: string[]): AsyncGenerator<string> {
  yield* texts;
}

async function* endless(): AsyncGenerator<string> {
  for (;;) yield 'x';
}

/** Exports whose limits no test reaches, except those that are given. */
const exportsWith = (
  limits: Partial<ExportLimits>,
  times?: { mostMs?: number; confirmEveryMs?: number },
): Exports => {
  const high = { perCaller: 9, perTenant: 9, perNetwork: 9, inAll: 9, reading: 9 };
  return createExports(createAcquireSlots(), 'test', { ...high, ...limits }, times);
};

/** Whether one more export is admitted. If so, it ends at once. */
async function admits(exports: Exports, keyId: string, tenantId: string): Promise<boolean> {
  try {
    const admitted = (await exports.open(by(keyId), tenantId, pieces())).destroy();
    await once(admitted, 'close');
    return true;
  } catch (error) {
    assert.ok(error instanceof ProblemError);
    assert.deepEqual([error.status, error.code], [429, 'too_many_exports']);
    assert.ok(error.details.retryAfter! > 0);
    return false;
  }
}

describe('createExports', () => {
  test('rejects exports above the limits of a caller, a tenant and the server', async () => {
    const exports = exportsWith({ perCaller: 1, perTenant: 2, inAll: 3 });
    await exports.open(by('a'), 'one', pieces('x'));
    assert.equal(await admits(exports, 'a', 'two'), false, 'one of a caller');
    await exports.open(by('b'), 'one', pieces('x'));
    assert.equal(await admits(exports, 'c', 'one'), false, 'two of a tenant');
    const third = await exports.open(by('c'), 'two', pieces('x'));
    assert.equal(await admits(exports, 'd', 'three'), false, 'three of the server');
    third.destroy();
    await eventually(() => admits(exports, 'd', 'three'));
  });

  test('counts exports without a tenant for their caller and the server only', async () => {
    const exports = exportsWith({ perCaller: 1, perTenant: 1, inAll: 3 });
    await exports.open(by('a'), null, pieces('x'));
    await exports.open(by('b'), null, pieces('x'));
    await assert.rejects(exports.open(by('a'), null, pieces('x')), /of this caller/);
    await exports.open(by('c'), null, pieces('x'));
    await assert.rejects(exports.open(by('d'), null, pieces('x')), /of this server/);
  });

  test('admits another export when one ends, fails or is destroyed', async () => {
    const exports = exportsWith({ inAll: 1 });
    const read = async (texts: AsyncGenerator<string>) =>
      Array.fromAsync((await exports.open(by('a'), 'one', texts)) as AsyncIterable<string>);
    assert.deepEqual(await read(pieces('x', 'y')), ['x', 'y']);
    async function* failing(): AsyncGenerator<string> {
      yield 'x';
      throw new Error('the database went away');
    }
    await eventually(() => admits(exports, 'a', 'one'));
    await assert.rejects(read(failing()), /went away/);
    await eventually(() => admits(exports, 'a', 'one'));
    const given = await exports.open(by('a'), 'one', pieces('x', 'y'));
    assert.equal(await admits(exports, 'a', 'one'), false);
    given.destroy();
    await eventually(() => admits(exports, 'a', 'one'));
  });

  test('cuts off an export that takes too long, and admits another one', async () => {
    const exports = exportsWith({ inAll: 1 }, { mostMs: 300 });
    const unread = await exports.open(by('a'), 'one', endless());
    await assert.rejects(once(unread, 'end'), /took too long/);
    await eventually(() => admits(exports, 'a', 'one'));
  });

  test('ends an export when its caller loses the permission, and not when this cannot be checked', async () => {
    const exports = exportsWith({ inAll: 1 }, { confirmEveryMs: 10 });
    let confirmed = 0;
    let refusal = new ProblemError('unavailable');
    const admitCaller = async () => {
      confirmed++;
      throw refusal;
    };
    const unread = await exports.open({ ...by('a'), admitCaller }, 'one', endless());
    await eventually(() => confirmed > 3);
    assert.equal(unread.destroyed, false);
    refusal = new ProblemError('invalid_api_key');
    await assert.rejects(once(unread, 'end'), refusal);
    await eventually(() => admits(exports, 'a', 'one'));
  });

  test('limits concurrent reads, and continues when one client stalls', async () => {
    const exports = exportsWith({ reading: 2 });
    let [reading, most] = [0, 0];
    async function* slow(): AsyncGenerator<string> {
      for (let piece = 0; piece < 5; piece++) {
        most = Math.max(most, ++reading);
        await new Promise(setImmediate);
        reading--;
        yield 'x';
      }
    }
    const stalled = await exports.open(by('a'), 'one', slow());
    stalled.once('readable', () => {});
    const whole = await Promise.all(
      ['one', 'two', 'three', 'one', 'two', 'three'].map(async (tenantId) =>
        Array.fromAsync((await exports.open(by('a'), tenantId, slow())) as AsyncIterable<string>),
      ),
    );
    assert.deepEqual(new Set(whole.map((texts) => texts.length)), new Set([5]));
    assert.equal(most, 2);
    stalled.destroy();
  });

  test('lets other tenants read while the pieces of one take long', async () => {
    const exports = exportsWith({ reading: 2 });
    const { promise: archive, resolve } = Promise.withResolvers<void>();
    async function* slow(): AsyncGenerator<string> {
      await archive;
      yield 'x';
    }
    const opening = [exports.open(by('a'), 'one', slow()), exports.open(by('a'), 'one', slow())];
    const other = await exports.open(by('b'), 'two', pieces('y'));
    assert.deepEqual(await Array.fromAsync(other as AsyncIterable<string>), ['y']);
    resolve();
    for (const stream of await Promise.all(opening)) stream.destroy();
  });
});
