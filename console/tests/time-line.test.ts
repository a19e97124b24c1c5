import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDuration, timeLineOf } from '../src/pages/matches/time-line.ts';

const at = (fraction: string) => `2026-11-20T10:00:00${fraction}Z`;

test('the time line of a match compares times with any number of digits', () => {
  const match = {
    startedAt: at('.5'),
    endedAt: at('.59'),
    players: [
      { playerId: 'one', joinedAt: at('.5'), leftAt: at('.53') },
      { playerId: 'other', joinedAt: at('.52'), leftAt: null },
    ],
  };
  assert.deepEqual(
    timeLineOf(match).map(({ text, playerId }) => [text, playerId]),
    [
      ['Started with 1 player', undefined],
      ['Joined:', 'other'],
      ['Left:', 'one'],
      ['Ended', undefined],
    ],
  );
});

test('the time of a moment is its distance from the start, with hours if there are any', () => {
  const durations = [
    ['2026-11-20T10:02:13.4Z', '02:13'],
    ['2026-11-20T11:00:00Z', '1:00:00'],
    ['2026-11-21T12:02:13.999Z', '26:02:13'],
    ['2026-11-20T10:00:00.5Z', '00:00'],
  ] as const;
  for (const [to, duration] of durations) assert.equal(formatDuration(at(''), to), duration);
});
