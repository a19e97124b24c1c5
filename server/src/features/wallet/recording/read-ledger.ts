import type { Hex } from 'viem';
import type { Database, Querier } from '../../../database/database.ts';
import { ProblemError } from '../../../core/problem.ts';
import { findFirstHash } from '../chain/index.ts';
import { canonicalEntry, type Head } from './ledger-entry.ts';
import { findEntries, listLinks, readHead, type Link, type StoredEntry } from './queries.ts';
import { findPlayers } from './state-queries.ts';
import type { Recorder } from './recorder.ts';

export interface LedgerServices {
  database: Database;
  recorder: Recorder;
}

/** Reads a transaction with its entries and its state on the chain. Throws not_found, even for an invalid hash. */
export async function readTransaction(
  { database, recorder }: LedgerServices,
  tenantId: string,
  text: string,
) {
  const tenant = database.forTenant(tenantId);
  const given = text.toLowerCase() as Hex;
  const isHash = /^0x[0-9a-f]{64}$/.test(given);
  // The entries contain the first hash that their transaction was signed with, even after the deployment has left the chain.
  const transactionHash = (isHash && (await findFirstHash(tenant, given))) || given;
  const entries = isHash ? await findEntries(tenant, tenantId, transactionHash) : [];
  if (entries.length === 0) throw new ProblemError('not_found', 'The tenant has no such transaction.');
  const known = await recorder.describe(tenant, transactionHash);
  const [{ hash }] = entries as [StoredEntry];
  return {
    transactionHash,
    recorder: hash === transactionHash ? 'hash-chain' : 'evm',
    entries: entries.map(toShownEntry),
    ...known,
  } as const;
}

/** Reads a transaction for members of the workspace, with the names of its players. Throws not_found. */
export async function readTenantTransaction(services: LedgerServices, tenantId: string, text: string) {
  const transaction = await readTransaction(services, tenantId, text);
  const tenant = services.database.forTenant(tenantId);
  return { ...transaction, entries: await nameEntries(tenant, tenantId, transaction.entries) };
}

/** An entry with the name of its player. */
export type NamedEntry = ShownEntry & { playerId: string | null };

export async function nameEntries(
  tenant: Querier,
  tenantId: string,
  entries: ShownEntry[],
): Promise<NamedEntry[]> {
  const playerIndexes = [...new Set(entries.map(({ playerIndex }) => playerIndex))];
  const players = await findPlayers(tenant, tenantId, { playerIndexes });
  const playerIds = new Map(players.map(({ playerIndex, playerId }) => [playerIndex, playerId]));
  return entries.map((entry) => ({ ...entry, playerId: playerIds.get(entry.playerIndex) ?? null }));
}

/** An entry as clients see it. */
type ShownEntry = ReturnType<typeof toShownEntry>;

export function toShownEntry(entry: StoredEntry) {
  const { tenantId: _tenant, body, ...shown } = entry;
  return { ...shown, body: membersOf(body), canonical: canonicalEntry(entry) };
}

/** Returns an empty object if somebody has altered the body to invalid JSON. `canonical` shows the stored text. */
function membersOf(body: string): Record<string, unknown> {
  try {
    return { ...(JSON.parse(body) as object) };
  } catch {
    return {};
  }
}

/** Reads the links of a tenant's chain from an index on, and its head. */
export async function readLinks(
  database: Database,
  tenantId: string,
  { from, limit }: { from: number; limit: number },
): Promise<{ items: Link[]; head: Head }> {
  const tenant = database.forTenant(tenantId);
  const [items, head] = await Promise.all([
    listLinks(tenant, tenantId, from, limit),
    readHead(tenant, tenantId),
  ]);
  return { items, head };
}
