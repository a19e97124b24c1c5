import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createGroupOwners } from './group-owners.ts';

const OWNERS: Record<string, string> = { a1: 'A', a2: 'A', b1: 'B' };

/** Returns all groups of the owners of groups, as the queries of queues do. */
const findOwners = async (groups: string[]) => {
  const found = new Set(groups.map((group) => OWNERS[group]));
  return Object.entries(OWNERS)
    .filter(([, owner]) => found.has(owner))
    .map(([group, owner]) => ({ group, owner }));
};

describe('createGroupOwners', () => {
  test('knows all groups of the owners of fetched groups', async () => {
    const owners = createGroupOwners(findOwners, () => false);
    assert.equal(owners.ownerOf('a1'), 'a1', 'an unknown group is its own owner');
    await owners.resolve(['a1', 'c1']);
    assert.deepEqual([owners.ownerOf('a2'), owners.ownerOf('c1')], ['A', 'c1']);
    assert.deepEqual(owners.groupsOf(['A']), ['a1', 'a2']);
  });

  test('looks up each group once', async () => {
    const asked: string[][] = [];
    const owners = createGroupOwners(
      async (groups) => {
        asked.push(groups);
        return findOwners(groups);
      },
      () => true,
    );
    for (const fetched of [['a1', 'a1'], ['a1', 'a2'], ['b1', 'a1'], ['b1']]) await owners.resolve(fetched);
    assert.deepEqual(asked, [['a1'], ['b1']]);
  });

  test('keeps the owner of a group that is fetched again with an unknown group', async () => {
    const owners = createGroupOwners(findOwners, () => false);
    await owners.resolve(['a1']);
    await owners.resolve(['a1', 'b1']);
    assert.deepEqual([owners.ownerOf('a1'), owners.ownerOf('b1')], ['A', 'B']);
  });

  test('drops owners without jobs when it looks up others', async () => {
    const owners = createGroupOwners(findOwners, (owner) => owner === 'B');
    await owners.resolve(['a1', 'b1']);
    await owners.resolve(['c1']);
    assert.deepEqual([owners.groupsOf(['A']), owners.groupsOf(['B'])], [[], ['b1']]);
  });

  test('keeps the known owners if a look-up fails', async () => {
    let isFailing = false;
    const owners = createGroupOwners(
      (groups) => (isFailing ? Promise.reject(new Error('unavailable')) : findOwners(groups)),
      () => true,
    );
    await owners.resolve(['a1']);
    isFailing = true;
    await assert.rejects(owners.resolve(['a1', 'b1']));
    assert.deepEqual([owners.ownerOf('a1'), owners.ownerOf('b1')], ['A', 'b1']);
  });
});
