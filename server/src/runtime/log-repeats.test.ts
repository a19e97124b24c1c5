import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pino, type BaseLogger, type Logger } from 'pino';
import { createRepeatLimit } from './log-repeats.ts';
import { loggerOptions } from './logging.ts';

describe('createRepeatLimit', () => {
  test('admits three equal lines in 30 seconds, then one with the number of the suppressed', () => {
    let time = 0;
    const limit = createRepeatLimit(() => time);
    const admitted = Array.from({ length: 8 }, () => limit.admit('a'));
    assert.deepEqual(admitted, [0, 0, 0, undefined, undefined, undefined, undefined, undefined]);
    assert.equal(limit.admit('b'), 0);
    time = 30_000;
    assert.equal(limit.admit('a'), 5);
    assert.equal(limit.admit('a'), 0);
  });

  test('evicts old texts, so that its memory does not grow', () => {
    const limit = createRepeatLimit(() => 0);
    for (let line = 0; line < 10; line++) limit.admit('first');
    for (let text = 0; text < 2000; text++) limit.admit(String(text));
    assert.equal(limit.admit('first'), 0);
  });
});

describe('the log of a process', () => {
  const written = (log: (logger: BaseLogger & Pick<Logger, 'child'>) => void) => {
    const lines: Record<string, unknown>[] = [];
    const stream = { write: (line: string) => void lines.push(JSON.parse(line)) };
    log(pino(loggerOptions({ logLevel: 'info' }), stream));
    return lines;
  };

  test('repeats no warning more than three times, from any logger', () => {
    const lines = written((logger) => {
      for (let line = 0; line < 20; line++)
        logger.child({ reqId: line }).error({ err: new Error('gone') }, 'failed');
      logger.error({ err: new Error('another') }, 'failed');
    });
    assert.deepEqual(
      lines.map(({ err }) => (err as Error).message),
      [...Array.from({ length: 3 }, () => 'gone'), 'another'],
    );
  });

  test('has the level as a word and the time in ISO 8601', () => {
    const [line] = written((logger) => logger.warn('slow'));
    assert.equal(line?.['level'], 'warn');
    assert.equal(new Date(line['time'] as string).toISOString(), line['time']);
  });

  test('repeats lines of information, and keeps the fields of a line', () => {
    const lines = written((logger) => {
      for (let line = 0; line < 20; line++) logger.info({ line }, 'scheduled job ran');
      logger.warn('a text of %d words', 5);
    });
    assert.equal(lines.length, 21);
    assert.equal(lines[19]?.['line'], 19);
    assert.equal(lines[20]?.['msg'], 'a text of 5 words');
  });
});
