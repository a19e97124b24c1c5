import type { Database, Scope } from '../../../database/database.ts';
import { readBatches } from '../chain/index.ts';
import { inChunks } from '../../../core/in-chunks.ts';
import type { AlteredRow } from '../../../core/row-hash.ts';
import { rangeInUtc } from '../../../core/time-range.ts';
import type { Verification } from '../../../core/verification.ts';
import { GENESIS, hashContent, hashLink, type Head } from './ledger-entry.ts';
import { findIndexRange, listEntries, type IndexRange, type StoredEntry } from './queries.ts';
import { compareEnds, derivedTables, findMismatchedRows } from './verify-queries.ts';

const CHUNK = 2_000;

/**
 * Verifies a tenant's chain. Reports each entry that was altered, is missing, or does not follow the previous one. If all
 * entries are correct, it also reports each row of the state that does not match them. With a time range, it verifies only the
 * entries in the range.
 */
export async function verifyLedger(database: Database, verification: Verification): Promise<void> {
  const { tenantId, range } = verification;
  const tenant = database.forTenant(tenantId);
  let isSound = true;
  const report = (row: AlteredRow): void => {
    isSound = false;
    verification.report(row);
  };
  const isWhole = range.from === undefined && range.to === undefined;
  // The time of an entry can be earlier than that of the previous one, if the clock was set back. Entries in between belong to the
  // range too.
  const indices = isWhole ? ALL : await findIndexRange(tenant, tenantId, rangeInUtc(range));
  if (!indices) return;
  await verifyEntries(tenant, { ...verification, report }, indices, isWhole ? GENESIS : undefined);
  if (!isWhole) return;

  const { headIndex, headHash, lastIndex, lastHash } = await compareEnds(tenant, tenantId);
  if (headIndex > lastIndex) report(alteredEntry(tenantId, span(lastIndex, headIndex + 1), MISSING));
  else if (headIndex < lastIndex || (lastHash !== null && headHash !== lastHash))
    report({ table: 'wallet_ledgers', tenantId, id: 'head', problem: MISMATCH });
  if (isSound)
    for (const table of derivedTables) {
      const rows = await tenant.transaction((transaction) =>
        findMismatchedRows(transaction, tenantId, table),
      );
      for (const { id } of rows) report({ table, tenantId, id, problem: MISMATCH });
    }
}

/** An entry, or a span of indices, that failed verification. */
export const alteredEntry = (tenantId: string, index: number | string, problem: string): AlteredRow => ({
  table: 'wallet_ledger_entries',
  tenantId,
  id: String(index),
  problem,
});

const MISSING = 'is missing';
const ALTERED = 'does not match its hash';
const MISMATCH = 'does not match the entries';

/** Verifies the entries of a range. If `start` is given, the first of them must follow it. */
async function verifyEntries(
  tenant: Scope,
  { tenantId, report, onRows }: Verification,
  indices: IndexRange,
  start: Head | undefined,
): Promise<void> {
  const found = (index: number | string, problem: string) => report(alteredEntry(tenantId, index, problem));
  let before = start && { ...start, recomputed: start.hash };
  const chunks = inChunks(CHUNK, (last?: StoredEntry) => {
    const first = last ? last.index + 1 : indices.first;
    return listEntries(tenant, tenantId, { ...indices, first, order: 'oldest' }, CHUNK);
  });
  for await (const entries of chunks) {
    const enqueued = entries.filter(({ hash, transactionHash }) => transactionHash !== hash);
    const batches = await readBatches(
      tenant,
      enqueued.map(({ transactionHash }) => transactionHash),
    );
    for (const entry of entries) {
      const { index, hash, previousHash, contentHash } = entry;
      if (before && index > before.index + 1) found(span(before.index, index), MISSING);
      else if (before && previousHash !== before.hash && previousHash !== before.recomputed)
        found(index, 'does not follow the previous entry');
      if (!matchesItsHashes(entry, batches)) found(index, ALTERED);
      // If the hash of an entry was altered, the next entry still contains the correct one. So only the altered entry is reported.
      before = { index, hash, recomputed: hashLink(previousHash, contentHash) };
    }
    onRows(entries.length);
  }
}

const ALL: IndexRange = { first: 1, last: Number.MAX_SAFE_INTEGER };

type Batches = Awaited<ReturnType<typeof readBatches>>;

/** The transaction of an entry is the entry itself, or a call that was signed to append it. */
function matchesItsHashes(entry: StoredEntry, batches: Batches): boolean {
  const { index, previousHash, contentHash, hash, transactionHash } = entry;
  const batch = batches.get(transactionHash);
  // A call of another tenant has other hashes, because the content hash covers the tenant.
  const appended = batch ? batch.hashes[index - batch.first] : transactionHash;
  return (
    hashContent(entry) === contentHash && hashLink(previousHash, contentHash) === hash && appended === hash
  );
}

/** The indices between `after` and `before`, as text. */
function span(after: number, before: number): string {
  return after + 2 === before ? String(after + 1) : `${after + 1} to ${before - 1}`;
}
