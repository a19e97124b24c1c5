import { randomBytes } from 'node:crypto';
import { concat, hexToBytes, keccak256, type Hex } from 'viem';
import { canonicalJson } from '../../../core/canonical-json.ts';

/** The kind and body of an entry. 64-bit numbers are decimal strings. */
export type EntryBody =
  | {
      kind: 'player.added';
      body: { playerId: string; address: string; playerType: number; verified: boolean };
    }
  | { kind: 'player.verified'; body: { address: string } }
  | { kind: 'player.scored'; body: { score: string } }
  | { kind: 'session.started'; body: { sessionId: number; device: string; startTime: number } }
  | { kind: 'session.ended'; body: { sessionId: number; endTime: number } }
  | { kind: 'match.started'; body: { matchSessionId: number; level: string } }
  | { kind: 'record.added'; body: AddedRecord }
  | { kind: 'match.player_ended'; body: PlayerEnded }
  | { kind: 'match.ended'; body: { matchSessionId: number; playDataId: number } };

/** All kinds of entries. */
export const entryKinds = Object.keys({
  'player.added': true,
  'player.verified': true,
  'player.scored': true,
  'session.started': true,
  'session.ended': true,
  'match.started': true,
  'record.added': true,
  'match.player_ended': true,
  'match.ended': true,
} satisfies Record<EntryBody['kind'], true>) as EntryBody['kind'][];

interface AddedRecord {
  id: number;
  matchSessionId: number;
  score: string;
  key: string;
  value: string;
  otherPlayers: number[];
}

interface PlayerEnded {
  playDataId: number;
  matchSessionId: number;
  score: string;
  winLoss: number;
  matchPosition: number;
}

/** An entry before it is chained. `playerIndex` identifies the player that it is about. */
export type NewEntry = EntryBody & { playerIndex: number };

/** A stored entry with its hashes. */
export interface LedgerEntry {
  tenantId: string;
  /** The position in the tenant's chain, from 1. */
  index: number;
  /** In UTC with six fractional digits. */
  recordedAt: string;
  kind: string;
  playerIndex: number;
  /** Canonical JSON. */
  body: string;
  salt: Hex;
  contentHash: Hex;
  previousHash: Hex;
  hash: Hex;
}

/** The parts of an entry that its content hash covers. */
type EntryContent = Omit<LedgerEntry, 'contentHash' | 'previousHash' | 'hash'>;

/** The last entry of a chain. */
export interface Head {
  index: number;
  hash: Hex;
}

/** The head of a chain without entries. The first entry of each chain follows it. */
export const GENESIS: Head = { index: 0, hash: `0x${'00'.repeat(32)}` };

const SALT_BYTES = 16;

/**
 * The canonical JSON that the content hash covers. It begins with the version of this form (docs/wallet-recording.md). Third
 * parties compute it too, so it never changes. Another form needs another version.
 */
export function canonicalEntry(entry: EntryContent): string {
  const { tenantId, index, recordedAt, kind, playerIndex, salt, body } = entry;
  const front = canonicalJson(['guildhall-wallet-1', tenantId, index, recordedAt, kind, playerIndex, salt]);
  return `${front.slice(0, -1)},${body}]`;
}

/** The content hash of an entry. */
export function hashContent(entry: EntryContent): Hex {
  return keccak256(Buffer.from(canonicalEntry(entry)));
}

/**
 * The hash of an entry, over the previous hash and the content hash. Because there are two steps, the links of the chain can be
 * published without the contents.
 */
export function hashLink(previousHash: Hex, contentHash: Hex): Hex {
  return keccak256(hexToBytes(concat([previousHash, contentHash])));
}

/** Appends new entries to a chain. */
export function chainEntries(
  tenantId: string,
  head: Head,
  recordedAt: string,
  entries: NewEntry[],
): LedgerEntry[] {
  let { index, hash } = head;
  const salts = randomBytes(SALT_BYTES * entries.length);
  return entries.map(({ kind, playerIndex, body }, number) => {
    const salt: Hex = `0x${salts.toString('hex', number * SALT_BYTES, (number + 1) * SALT_BYTES)}`;
    const content = {
      tenantId,
      index: ++index,
      recordedAt,
      kind,
      playerIndex,
      body: canonicalJson(body),
      salt,
    };
    const contentHash = hashContent(content);
    const previousHash = hash;
    hash = hashLink(previousHash, contentHash);
    return { ...content, contentHash, previousHash, hash };
  });
}
