import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, mock, test } from 'node:test';
import { killIfSilent } from './heartbeat.ts';

describe('killIfSilent', () => {
  let child: EventEmitter;
  let signals: string[];

  beforeEach(() => {
    mock.timers.enable({ apis: ['setInterval'] });
    signals = [];
    child = Object.assign(new EventEmitter(), { kill: (signal: string) => signals.push(signal) });
    killIfSilent(child as ChildProcess, () => signals.push('silent'));
  });
  afterEach(() => mock.timers.reset());

  test('kills a process once that has sent nothing for 30 seconds', () => {
    mock.timers.tick(30_000);
    assert.deepEqual(signals, []);
    mock.timers.tick(60_000);
    assert.deepEqual(signals, ['silent', 'SIGKILL']);
  });

  test('leaves a process that sends messages', () => {
    for (let beat = 0; beat < 5; beat++) {
      mock.timers.tick(30_000);
      child.emit('message', 'alive');
    }
    assert.deepEqual(signals, []);
  });

  test('sends no signal to a process that has ended, because another one may have its id', () => {
    child.emit('exit');
    mock.timers.tick(60_000);
    assert.deepEqual(signals, []);
  });
});
