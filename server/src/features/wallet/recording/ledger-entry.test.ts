import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { keccak256, stringToBytes, toHex } from 'viem';
import { canonicalEntry, chainEntries, GENESIS, hashContent, hashLink } from './ledger-entry.ts';

const entry = {
  tenantId: '0198c1d2-0000-7000-8000-000000000001',
  index: 2,
  recordedAt: '2026-11-21T04:00:00.000001Z',
  kind: 'record.added',
  playerIndex: 7,
  salt: '0x000102030405060708090a0b0c0d0e0f' as const,
  body: '{"id":1,"key":"cün","matchSessionId":3,"otherPlayers":[],"score":"9223372036854775807","value":"\\"x\\""}',
};

// The documented form (docs/wallet-recording.md). Third parties compute it too, so it never changes.
const CANONICAL =
  '["guildhall-wallet-1","0198c1d2-0000-7000-8000-000000000001",2,"2026-11-21T04:00:00.000001Z","record.added",7,' +
  '"0x000102030405060708090a0b0c0d0e0f",{"id":1,"key":"cün","matchSessionId":3,"otherPlayers":[],' +
  '"score":"9223372036854775807","value":"\\"x\\""}]';

describe('ledger entry', () => {
  test('has the documented canonical form', () => {
    assert.equal(canonicalEntry(entry), CANONICAL);
    assert.deepEqual(JSON.parse(canonicalEntry(entry)).length, 8);
    assert.equal(hashContent(entry), keccak256(toHex(CANONICAL)));
    assert.equal(hashContent(entry), keccak256(stringToBytes(CANONICAL)));
  });

  test('contains the hash of the previous entry', () => {
    const content = hashContent(entry);
    assert.equal(hashLink(GENESIS.hash, content), keccak256(`0x${'00'.repeat(32)}${content.slice(2)}`));
    const scored = { kind: 'player.scored', playerIndex: 1, body: { score: '1' } } as const;
    const head = { index: 4, hash: content };
    const [first, second] = chainEntries(entry.tenantId, head, entry.recordedAt, [scored, scored]);
    assert.deepEqual([first!.index, second!.index], [5, 6]);
    assert.equal(first!.previousHash, content);
    assert.equal(second!.previousHash, first!.hash);
    assert.equal(second!.hash, hashLink(first!.hash, hashContent(second!)));
    assert.notEqual(first!.salt, second!.salt, 'equal contents have different content hashes');
  });

  test('has a hash that covers every part', () => {
    const others = {
      tenantId: 'x',
      index: 3,
      recordedAt: 'x',
      kind: 'x',
      playerIndex: 8,
      salt: '0x',
      body: '{}',
    };
    for (const [name, value] of Object.entries(others))
      assert.notEqual(hashContent({ ...entry, [name]: value }), hashContent(entry), name);
  });
});
