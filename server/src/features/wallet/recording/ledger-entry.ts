import { randomBytes } from 'node:crypto';
import { concat, hexToBytes, keccak256, type Hex } from 'viem';
import { canonicalJson } from '../../../core/canonical-json.ts';

/** What an entry says. Numbers of 64 bits are decimal texts. */
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

/** An entry before it has its place in the chain. `playerIndex` is whom it is about. */
export type NewEntry = EntryBody & { playerIndex: number };

/** An entry as it is stored, with its hashes. */
export interface LedgerEntry {
  tenantId: string;
  /** Its place in the tenant's chain, from 1. */
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

/** What an entry says, and where: all that its content hash is of. */
export type EntryContent = Omit<LedgerEntry, 'contentHash' | 'previousHash' | 'hash'>;

/** The last entry of a chain. */
export interface Head {
  index: number;
  hash: Hex;
}

/** What the first entry of every chain has in place of the hash before. */
export const GENESIS_HASH: Hex = `0x${'00'.repeat(32)}`;

const SALT_BYTES = 16;

/**
 * The text whose hash is an entry's content hash: canonical JSON, with the version of this form in front
 * (docs/wallet-recording.md). It is stated for others to compute, so it never changes; another form is another version.
 */
export function canonicalEntry(entry: EntryContent): string {
  const { tenantId, index, recordedAt, kind, playerIndex, salt, body } = entry;
  const front = canonicalJson(['guildhall-wallet-1', tenantId, index, recordedAt, kind, playerIndex, salt]);
  return `${front.slice(0, -1)},${body}]`;
}

/** The hash of what an entry says. */
export function hashContent(entry: EntryContent): Hex {
  return keccak256(Buffer.from(canonicalEntry(entry)));
}

/**
 * An entry's hash: of the hash before and of its content. In two steps, so that somebody can be shown how entries hang
 * together without being shown what they say.
 */
export function hashLink(previousHash: Hex, contentHash: Hex): Hex {
  return keccak256(hexToBytes(concat([previousHash, contentHash])));
}

/** Puts new entries at the end of a chain. */
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
