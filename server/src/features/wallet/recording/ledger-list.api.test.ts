import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { arrangeAccount, arrangeTenant } from '../../../testing/arrange.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import {
  arrangeWalletPlayer,
  arrangeWalletTenant,
  somePart,
  WALLET_ENV,
} from '../../../testing/wallet-recording.ts';
import { hashLink, type LedgerEntry } from './ledger-entry.ts';

const app = await startTestApp({ env: WALLET_ENV });
const tenant = await arrangeWalletTenant(app);
const viewer = await arrangeAccount(app, tenant, 'viewer');
const stranger = await arrangeAccount(app, await arrangeTenant(app), 'owner');

const entriesOf = (tenantId: string, query: Record<string, string> = {}, caller = viewer) =>
  app.http.get(`/api/bus_tenants/${tenantId}/wallet-entries?${new URLSearchParams(query)}`, caller);
const list = (query?: Record<string, string>) => entriesOf(tenant.tenantId, query);
const transaction = (hash: string, caller = viewer) =>
  app.http.get(`/api/bus_tenants/${tenant.tenantId}/wallet-transactions/${hash}`, caller);
const indices = (items: LedgerEntry[]) => items.map(({ index }) => index);

/** Reads all pages, and returns the indices of each page. */
async function readPages(query: Record<string, string>, tenantId = tenant.tenantId): Promise<number[][]> {
  const pages: number[][] = [];
  for (let cursor: number | undefined, hasMore = true; hasMore;) {
    const { status, body, text } = await entriesOf(tenantId, {
      ...query,
      ...(cursor !== undefined && { cursor: String(cursor) }),
    });
    assert.equal(status, 200, text);
    pages.push(indices(body.items));
    ({ nextCursor: cursor, hasMore } = body);
  }
  return pages;
}

// Entries 1 to 7: player 1 is added, starts a session and a match, and ends them; player 2 is added and scores.
const ada = await arrangeWalletPlayer(app, tenant);
const { sessionId } = (await ada.startSession({ device: 'PC', startTime: 1 })).body;
const { matchSessionId } = (await ada.startMatch({ level: 'cave' })).body;
const part = (await ada.endPart(somePart(matchSessionId))).body;
await ada.endSession({ sessionId });
const ben = await arrangeWalletPlayer(app, tenant);
await ben.setScore({ newScore: '9223372036854775807' });

describe('GET /api/bus_tenants/{tenantId}/wallet-entries', () => {
  test('lists entries with their hashes and the head, newest first', async () => {
    const { status, body } = await list();
    assert.equal(status, 200);
    assert.deepEqual(indices(body.items), [7, 6, 5, 4, 3, 2, 1]);
    const [newest, before] = body.items;
    assert.deepEqual(newest.body, { score: '9223372036854775807' });
    assert.equal(newest.kind, 'player.scored');
    assert.equal(newest.playerIndex, ben.playerIndex);
    assert.equal(newest.playerId, ben.playerId);
    assert.equal(newest.transactionHash, newest.hash);
    assert.equal(newest.previousHash, before.hash);
    assert.equal(hashLink(newest.previousHash, newest.contentHash), newest.hash);
    assert.deepEqual(body.head, { index: 7, hash: newest.hash });
    assert.equal(body.hasMore, false);
    assert.equal(body.nextCursor, undefined);
  });

  test('pages in both directions and returns each entry once', async () => {
    assert.deepEqual(await readPages({ limit: '3' }), [[7, 6, 5], [4, 3, 2], [1]]);
    assert.deepEqual(await readPages({ limit: '3', order: 'oldest' }), [[1, 2, 3], [4, 5, 6], [7]]);
    for (const [order, all] of [
      ['newest', [7, 6, 5, 4, 3, 2, 1]],
      ['oldest', [1, 2, 3, 4, 5, 6, 7]],
    ] as const)
      assert.deepEqual(await readPages({ limit: '7', order }), [all]);
  });

  test('begins after any index', async () => {
    const { body } = await list({ order: 'oldest', cursor: '3', limit: '1' });
    assert.deepEqual(indices(body.items), [4]);
    for (const cursor of ['8', '99', '10008', String(Number.MAX_SAFE_INTEGER)]) {
      assert.deepEqual(indices((await list({ cursor, limit: '2' })).body.items), [7, 6]);
      const all = (await list({ cursor })).body;
      assert.deepEqual([indices(all.items), all.hasMore], [[7, 6, 5, 4, 3, 2, 1], false]);
    }
    assert.deepEqual((await list({ order: 'oldest', cursor: '99' })).body.items, []);
  });

  test('filters by kind and by player', async () => {
    const started = await list({ kind: 'match.started' });
    assert.deepEqual(indices(started.body.items), [3]);
    assert.deepEqual(started.body.items[0].body, { level: 'cave', matchSessionId });
    assert.deepEqual(
      indices((await list({ playerIndex: String(ben.playerIndex), order: 'oldest' })).body.items),
      [6, 7],
    );
    assert.deepEqual((await list({ kind: 'player.scored', playerIndex: '1' })).body.items, []);
  });

  test('searches 10,000 entries per page when a filter finds none', async () => {
    const large = await arrangeWalletTenant(app, tenant.issuer);
    const reader = await arrangeAccount(app, large, 'viewer');
    await app.owner.query(
      `INSERT INTO wallet_ledger_entries (tenant_id, entry_index, recorded_at, kind, player_index, body, salt, content_hash,
                                          previous_hash, hash, transaction_hash)
       SELECT $1, number, now(), CASE number WHEN 1 THEN 'player.added' WHEN 20500 THEN 'match.ended' ELSE 'player.scored' END,
              1, '{}', '\\x00', '\\x00', '\\x00', '\\x00', '\\x00'
       FROM generate_series(1, 20500) number`,
      [large.tenantId],
    );
    await app.owner.query('INSERT INTO wallet_ledgers (tenant_id, entries) VALUES ($1, 20500)', [
      large.tenantId,
    ]);
    const first = await entriesOf(large.tenantId, { kind: 'player.added' }, reader);
    assert.deepEqual(first.body.items, []);
    assert.equal(first.body.nextCursor, 10_501);
    const last = await entriesOf(large.tenantId, { kind: 'player.added', cursor: '501' }, reader);
    assert.deepEqual(indices(last.body.items), [1]);
    assert.equal(last.body.hasMore, false);
    const oldest = await entriesOf(large.tenantId, { kind: 'match.ended', order: 'oldest' }, reader);
    assert.deepEqual(oldest.body.items, []);
    assert.equal(oldest.body.nextCursor, 10_000);
  });

  test('returns an empty page and an empty head before the first entry', async () => {
    const empty = await arrangeTenant(app);
    const reader = await arrangeAccount(app, empty, 'viewer');
    const { status, body } = await entriesOf(empty.tenantId, {}, reader);
    assert.equal(status, 200);
    assert.deepEqual(body, {
      items: [],
      head: { index: 0, hash: `0x${'00'.repeat(32)}` },
      hasMore: false,
    });
  });

  test('returns 400 when a parameter is invalid', async () => {
    const queries: Record<string, string>[] = [
      { kind: 'player.deleted' },
      { order: 'random' },
      { limit: '0' },
      { limit: '1001' },
      { cursor: '-1' },
      { cursor: 'x' },
      { playerIndex: '0' },
    ];
    for (const query of queries) assert.equal((await list(query)).status, 400, JSON.stringify(query));
  });

  test('returns 404 to members of other workspaces', async () => {
    assert.equal((await entriesOf(tenant.tenantId, {}, stranger)).status, 404);
  });
});

describe('GET /api/bus_tenants/{tenantId}/wallet-transactions/{transactionHash}', () => {
  test('returns the entries of a transaction with the names of their players', async () => {
    const { status, body } = await transaction(part.transactionHash);
    assert.equal(status, 200);
    assert.equal(body.recorder, 'hash-chain');
    assert.deepEqual(indices(body.entries), [4]);
    assert.equal(body.entries[0].kind, 'match.player_ended');
    assert.equal(body.entries[0].playerId, ada.playerId);
  });

  test('returns 404 for an unknown hash, an invalid hash and a transaction of another tenant', async () => {
    const other = await arrangeWalletTenant(app, tenant.issuer);
    const foreign = await arrangeWalletPlayer(app, other);
    const { transactionHash } = (await foreign.setScore({ newScore: 1 })).body;
    for (const hash of [`0x${'ab'.repeat(32)}`, 'x', transactionHash])
      assert.equal((await transaction(hash)).status, 404, hash);
    assert.equal((await transaction(part.transactionHash, stranger)).status, 404);
  });
});
