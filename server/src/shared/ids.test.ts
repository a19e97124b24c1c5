import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isGuid, newBulkId, newId } from './ids.ts';

test('identifiers ascend strictly, however quickly they are made', () => {
  const ids = Array.from({ length: 10_000 }, newId);
  assert.deepEqual(ids.toSorted(), ids);
  assert.equal(new Set(ids).size, ids.length);
});

test('identifiers are UUIDs of version 7', () => {
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
