import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ProblemError } from '../../../../core/problem.ts';
import { parseBatch } from './parse-batch.ts';

const parse = (text: string | Buffer, mostValues = 200_000) =>
  parseBatch('tenant', Buffer.from(text as string), mostValues);
const isRefused = (code: string) => (error: unknown) => error instanceof ProblemError && error.code === code;

/** Compares large values. The assertion library would take seconds for them. */
const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** A long number of a member `value` becomes a string, so JSON.parse would return something else. */
const anyJson = (constraints?: fc.JsonSharedConstraints) =>
  fc.jsonValue(constraints).filter((value) => !JSON.stringify(value).includes('"value":'));

/** Items of 1 to 3 KB, which together take several slices. */
const someItem = fc.record({
  name: fc.string({ unit: 'grapheme', maxLength: 20 }),
  any: anyJson({ maxDepth: 3 }),
  filling: fc.integer({ min: 1_000, max: 3_000 }).map((length) => ' [{"'.repeat(length / 4)),
});
const manyItems = fc.array(someItem, { minLength: 300, maxLength: 700, size: 'max' });

describe('parseBatch', () => {
  test('returns the same as JSON.parse for large bodies of both shapes', async () => {
    await fc.assert(
      fc.asyncProperty(manyItems, anyJson(), async (items, other) => {
        const space = ' \n';
        const text = JSON.stringify(items, null, 1);
        assert.ok(isSame(await parse(text), JSON.parse(text)));
        const body = `{"events":[],"other":${JSON.stringify(other)},${space}"events" : ${JSON.stringify(items)}}`;
        assert.ok(isSame(await parse(`\ufeff${body}`), { events: JSON.parse(body).events }));
      }),
      { numRuns: 10, endOnFailure: true },
    );
  });

  test('rejects the same bodies as JSON.parse after a character was added, removed or replaced', async () => {
    const change = fc.record({
      at: fc.nat(),
      removed: fc.constantFrom(0, 0, 1),
      added: fc.constantFrom(...',:[]{}"\\1 n', ''),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(someItem, { minLength: 5, maxLength: 9 }),
        fc.array(change, { maxLength: 9 }),
        async (items, changes) => {
          const text = JSON.stringify({ events: Array.from({ length: 40 }, () => items).flat() });
          for (const { at, removed, added } of changes) {
            // Structure is rare in the text, so half of the changes are next to a comma between items.
            const position = at % 2 === 0 ? at % text.length : text.indexOf('},{', at % text.length) + 1;
            // Half of a surrogate pair becomes a replacement character, as on its way to the server.
            const changed = (text.slice(0, position) + added + text.slice(position + removed)).toWellFormed();
            let expected: { events?: unknown } | undefined;
            try {
              expected = JSON.parse(changed);
            } catch {
              await assert.rejects(parse(changed), isRefused('malformed_json'));
              continue;
            }
            const parsed = await parse(changed);
            const wanted = Array.isArray(expected) ? expected : { events: expected?.events };
            assert.ok(isSame(parsed, wanted), changed.slice(position - 20, position + 20));
          }
        },
      ),
      { numRuns: 10, endOnFailure: true },
    );
  });

  test('rejects large bodies with commas at the edges of slices, and arrays as names', async () => {
    const item = `{"a":"${'x'.repeat(300_000)}"}`;
    for (const body of [
      `[${item},]`,
      `[,${item}]`,
      `[${item},,${item}]`,
      `[${item}}`,
      `[${item}`,
      `[${item}][]`,
      `{[${item}]:1}`,
      `{"events":[${item}],}`,
    ])
      await assert.rejects(parse(body), isRefused('malformed_json'), body.replaceAll(/x+/g, 'x'));
    assert.deepEqual(await parse(`[${item}, ${item} ]`), [JSON.parse(item), JSON.parse(item)]);
  });

  test('keeps the digits of long values in every slice', async () => {
    const items = Array.from(
      { length: 9_000 },
      (_, index) => `{"value":-922337203685477${1_000 + (index % 1_000)},"n":1.5}`,
    );
    const parsed = (await parse(`[${items.join(',')}]`)) as { value: string }[];
    assert.deepEqual(
      parsed.map(({ value }) => value),
      items.map((item) => /-\d+/.exec(item)![0]),
    );
  });

  test('keeps the digits of a member whose name has escapes', async () => {
    const names = ['v\\u0061lue', '\\u0076\\u0061\\u006c\\u0075\\u0065', 'va\\u006Cue'];
    for (const name of names)
      assert.deepEqual(
        await parse(
          `[{"${name}" : 9007199254740990.6}, {"text":"\\"${name}\\"", "${name}":9223372036854775807}]`,
        ),
        [{ value: '9007199254740990.6' }, { text: '"value"', value: '9223372036854775807' }],
      );
  });

  test('limits the values of the body, of one item, and outside of the items', async () => {
    const filling = '"'.padEnd(300_000, ' ') + '"';
    await assert.rejects(parse(`[${filling},${'1,'.repeat(999)}1]`, 1_000), isRefused('batch_size'));
    assert.equal(((await parse(`[${filling},${'1,'.repeat(998)}1]`, 1_000)) as unknown[]).length, 1_000);
    const wide = `{${Array.from({ length: 10_001 }, (_, index) => `"${index}":1`).join(',')}}`;
    for (const body of [`[${filling},${wide}]`, `{"x":${filling},"y":${wide}}`])
      await assert.rejects(parse(body), isRefused('batch_size'));
  });

  test('lets other work run between slices', async () => {
    let [turns, isOver] = [0, false];
    const counting = (async () => {
      for (; !isOver; turns++) await new Promise(setImmediate);
    })();
    await parse(JSON.stringify(Array.from({ length: 10_000 }, () => ({ text: 'x'.repeat(500) }))));
    const during = turns;
    isOver = true;
    await counting;
    assert.ok(during >= 20, `${during} turns for 5 MB`);
  });
});
