import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { countRequest, emptyWindows, verdict, type Windows } from './windows.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = 1_800_000_000_000;

/** Sends `count` requests at one time. Returns how many were admitted. */
function send(windows: Windows, limit: { perMinute: number; perHour: number }, now: number, count: number) {
  let admitted = 0;
  for (let request = 0; request < count; request++) if (countRequest(windows, limit, now)) admitted++;
  return admitted;
}

describe('countRequest', () => {
  test('begins a minute with its first request and admits at most the limit', () => {
    const windows = emptyWindows();
    const limit = { perMinute: 3, perHour: 100 };
    assert.equal(send(windows, limit, START, 1), 1);
    assert.equal(send(windows, limit, START + MINUTE - 1, 5), 2);
    assert.equal(
      send(windows, limit, START + MINUTE, 5),
      3,
      'the next window begins when the first has ended',
    );
    assert.equal(send(windows, limit, START + 2 * MINUTE - 1, 1), 0);
    assert.equal(send(windows, limit, START + 2 * MINUTE, 1), 1);
  });

  test('does not count a request in one window if the other refuses it', () => {
    const minuteIsFull = emptyWindows();
    assert.equal(send(minuteIsFull, { perMinute: 2, perHour: 4 }, START, 50), 2);
    assert.equal(
      send(minuteIsFull, { perMinute: 2, perHour: 4 }, START + MINUTE, 50),
      2,
      'the hour had two left',
    );
    assert.equal(send(minuteIsFull, { perMinute: 2, perHour: 4 }, START + 2 * MINUTE, 50), 0);

    const hourIsFull = emptyWindows();
    assert.equal(send(hourIsFull, { perMinute: 10, perHour: 2 }, START, 50), 2);
    assert.equal(hourIsFull.minute.used, 2);
    assert.equal(send(hourIsFull, { perMinute: 10, perHour: 2 }, START + HOUR - 1, 50), 0);
    assert.equal(hourIsFull.minute.ends, START + MINUTE, 'no minute begins with a refused request');
  });

  test('applies a changed limit to the requests counted before', () => {
    const windows = emptyWindows();
    assert.equal(send(windows, { perMinute: 5, perHour: 100 }, START, 10), 5);
    assert.equal(send(windows, { perMinute: 7, perHour: 100 }, START, 10), 2);
    assert.equal(send(windows, { perMinute: 3, perHour: 100 }, START, 10), 0);
    const lowered = verdict(false, windows, { perMinute: 3, perHour: 100 }, START);
    assert.deepEqual([lowered.limit, lowered.remaining], [3, 0]);
  });
});

describe('verdict', () => {
  test('reports the window with fewer requests left', () => {
    const windows = emptyWindows();
    const limit = { perMinute: 3, perHour: 5 };
    const sendOne = (now: number) => verdict(countRequest(windows, limit, now), windows, limit, now);
    assert.deepEqual(sendOne(START), {
      admitted: true,
      window: 'minute',
      limit: 3,
      remaining: 2,
      resetSeconds: 60,
    });
    send(windows, limit, START, 2);
    assert.equal(sendOne(START + 500).resetSeconds, 60, 'rounded up');
    assert.deepEqual(sendOne(START + MINUTE), {
      admitted: true,
      window: 'hour',
      limit: 5,
      remaining: 1,
      resetSeconds: 3_540,
    });
    sendOne(START + MINUTE);
    assert.deepEqual(sendOne(START + MINUTE + 1_001), {
      admitted: false,
      window: 'hour',
      limit: 5,
      remaining: 0,
      resetSeconds: 3_539,
    });
  });

  test('reports the window that ends later when both are used up', () => {
    const windows = emptyWindows();
    const limit = { perMinute: 2, perHour: 2 };
    send(windows, limit, START, 2);
    const { window, resetSeconds } = verdict(false, windows, limit, START + 1);
    assert.deepEqual([window, resetSeconds], ['hour', 3_600]);
    // A minute that ends after its hour.
    const late = { minute: { used: 2, ends: START + 50_000 }, hour: { used: 9, ends: START + 1 } };
    assert.equal(verdict(false, late, { perMinute: 2, perHour: 9 }, START).resetSeconds, 50);
  });

  test('never exceeds a limit, and admits a caller that waits for resetSeconds (property)', () => {
    const sends = fc.array(
      fc.tuple(fc.integer({ min: 0, max: 25 * MINUTE }), fc.integer({ min: 1, max: 8 })),
      {
        maxLength: 60,
      },
    );
    const limits = fc.record({
      perMinute: fc.integer({ min: 1, max: 6 }),
      perHour: fc.integer({ min: 1, max: 12 }),
    });
    fc.assert(
      fc.property(limits, sends, (limit, steps) => {
        const windows = emptyWindows();
        const admitted = new Map<string, number>();
        let now = START;
        for (const [pause, count] of steps) {
          now += pause;
          for (let request = 0; request < count; request++) {
            if (!countRequest(windows, limit, now)) {
              const { remaining, resetSeconds } = verdict(false, windows, limit, now);
              assert.ok(remaining === 0 && resetSeconds >= 1);
              assert.ok(countRequest(structuredClone(windows), limit, now + resetSeconds * 1_000));
              continue;
            }
            for (const [name, most] of [
              ['minute', limit.perMinute],
              ['hour', limit.perHour],
            ] as const) {
              const window = `${name} ${windows[name].ends}`;
              admitted.set(window, (admitted.get(window) ?? 0) + 1);
              assert.ok(admitted.get(window)! <= most);
            }
          }
        }
      }),
    );
  });
});
