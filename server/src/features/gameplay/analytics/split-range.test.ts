import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { splitRange } from './split-range.ts';

const short = (parts: ReturnType<typeof splitRange>) =>
  parts.map(({ span, from, to }) => `${span ?? 'rows'} ${from.slice(0, 19)} ${to.slice(0, 19)}`);
const at = (text: string) => `${text}${'2026-01-01T00:00:00.000000Z'.slice(text.length)}`;

describe('splitRange', () => {
  test('uses whole months, then days and hours at the edges, then rows', () => {
    assert.deepEqual(
      short(splitRange(at('2025-11-29T22:30:00'), at('2026-03-02T01:15:00'), at('2026-05-01T00'))),
      [
        'rows 2025-11-29T22:30:00 2025-11-29T23:00:00',
        'hour 2025-11-29T23:00:00 2025-11-30T00:00:00',
        'day 2025-11-30T00:00:00 2025-12-01T00:00:00',
        'month 2025-12-01T00:00:00 2026-03-01T00:00:00',
        'day 2026-03-01T00:00:00 2026-03-02T00:00:00',
        'hour 2026-03-02T00:00:00 2026-03-02T01:00:00',
        'rows 2026-03-02T01:00:00 2026-03-02T01:15:00',
      ],
    );
  });

  test('uses rows after the last roll-up', () => {
    assert.deepEqual(short(splitRange(at('2026-01-01'), at('2026-06-01'), at('2026-02-02T03'))), [
      'month 2026-01-01T00:00:00 2026-02-01T00:00:00',
      'day 2026-02-01T00:00:00 2026-02-02T00:00:00',
      'hour 2026-02-02T00:00:00 2026-02-02T03:00:00',
      'rows 2026-02-02T03:00:00 2026-06-01T00:00:00',
    ]);
    for (const rolledUpTo of [undefined, at('2025-01-01'), at('2026-01-01')])
      assert.deepEqual(short(splitRange(at('2026-01-01'), at('2026-02-01'), rolledUpTo)), [
        'rows 2026-01-01T00:00:00 2026-02-01T00:00:00',
      ]);
  });

  test('uses rows for a range within an hour', () => {
    const [from, to] = ['2026-01-01T10:00:00.000001Z', '2026-01-01T10:59:59.999999Z'];
    assert.deepEqual(splitRange(from, to, at('2026-02-01')), [{ span: undefined, from, to }]);
    assert.deepEqual(splitRange(from, '9999-12-31T23:59:59.999999Z', undefined), [
      { span: undefined, from, to: '9999-12-31T23:59:59.999999Z' },
    ]);
  });

  test('covers every range without gaps, in whole hours, days and months', () => {
    const first = Date.UTC(2024, 0, 1);
    const instant = fc
      .tuple(fc.integer({ min: 0, max: 800 * 86_400_000 }), fc.constantFrom('000', '001', '999'))
      .chain(([ms, micros]) =>
        fc.constantFrom(
          new Date(first + ms).toISOString().replace('Z', `${micros}Z`),
          `${new Date(first + ms).toISOString().slice(0, 13)}:00:00.000000Z`,
          `${new Date(first + ms).toISOString().slice(0, 10)}T00:00:00.000000Z`,
          `${new Date(first + ms).toISOString().slice(0, 7)}-01T00:00:00.000000Z`,
        ),
      );
    const hour = instant.map((text) => `${text.slice(0, 13)}:00:00.000000Z`);
    fc.assert(
      fc.property(instant, instant, fc.option(hour, { nil: undefined }), (one, other, rolledUpTo) => {
        const [from, to] = one < other ? [one, other] : [other, one];
        const parts = splitRange(from, to, rolledUpTo);
        let end = from;
        for (const part of parts) {
          assert.equal(part.from, end);
          assert.ok(part.from < part.to);
          end = part.to;
          if (!part.span) continue;
          assert.ok(rolledUpTo !== undefined && part.to <= rolledUpTo);
          const whole = { hour: /:00:00\.0{6}Z$/, day: /T00:00:00\.0{6}Z$/, month: /-01T00:00:00\.0{6}Z$/ }[
            part.span
          ];
          assert.match(part.from, whole);
          assert.match(part.to, whole);
        }
        assert.equal(end, to);
        assert.ok(parts.length <= 7);
      }),
      { numRuns: 2_000 },
    );
  });
});
