import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { firstIdAt, isGuid, newBulkId, newId } from './ids.ts';

describe('identifiers', () => {
  test('ascend strictly, even within a millisecond', () => {
    const ids = Array.from({ length: 10_000 }, newId);
    assert.deepEqual(ids.toSorted(), ids);
    assert.equal(new Set(ids).size, ids.length);
  });

  test('are UUIDs of version 7', () => {
    for (const id of [newId(), newBulkId()]) {
      assert.equal(isGuid(id), true);
      assert.equal(isGuid(id.toUpperCase()), true);
      assert.equal(id[14], '7');
    }
    for (const text of [
      '',
      'x',
      `${newId()} `,
      newId().replaceAll('-', ''),
      `{${newId()}}`,
      `g${newId().slice(1)}`,
    ]) {
      assert.equal(isGuid(text), false, text);
    }
  });

  test('firstIdAt returns the lowest identifier of a time', () => {
    const now = new Date().toISOString();
    const id = newId();
    assert.ok(firstIdAt(now, 0) <= id && firstIdAt(now, -60) < id && id < firstIdAt(now, 60));
    assert.equal(firstIdAt('1970-01-01T00:00:01Z', 0), '00000000-03e8-7000-8000-000000000000');
    for (const time of ['0001-01-01T00:00:00Z', now, '9999-12-31T23:59:59.999999Z'])
      assert.ok(isGuid(firstIdAt(time, 3600)), time);
  });
});
