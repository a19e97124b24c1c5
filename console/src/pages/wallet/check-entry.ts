import { keccak_256 } from '@noble/hashes/sha3';
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils';
import type { WalletEntry } from './queries';

/** The end of a chain: the index and the hash of its last entry. */
export interface Head {
  index: number;
  hash: string;
}

/** The hash before the first entry. */
export const GENESIS: Head = { index: 0, hash: `0x${'00'.repeat(32)}` };

const HASH = /^0x[0-9a-f]{64}$/;

const keccak = (bytes: Uint8Array): string => `0x${bytesToHex(keccak_256(bytes))}`;
const withoutPrefix = (hash: string): string => hash.slice(2);

/** Computes the hashes of an entry again (docs/wallet-recording.md). Returns what is wrong with it, or undefined. */
export function checkEntry(tenantId: string, entry: WalletEntry): string | undefined {
  const { previousHash, contentHash, hash, canonical } = entry;
  if (canonicalText(tenantId, entry) !== canonical || keccak(utf8ToBytes(canonical)) !== contentHash)
    return 'was altered: its content does not match its content hash';
  if (!HASH.test(previousHash)) return 'was altered: its previous hash is not a hash';
  const link = hexToBytes(withoutPrefix(previousHash) + withoutPrefix(contentHash));
  return keccak(link) === hash ? undefined : 'was altered: its hashes do not match';
}

/** What is wrong with an entry if an earlier one is missing. */
export const followsGap = (missing: number): string => `comes after a gap: entry ${missing} is missing`;

/** Checks that an entry follows the one before. Returns what is wrong, or undefined. */
export function checkOrder({ index, previousHash }: WalletEntry, before: Head): string | undefined {
  if (index !== before.index + 1) return followsGap(before.index + 1);
  return previousHash === before.hash ? undefined : 'does not follow the entry before it';
}

/** The text that the content hash covers, from the members that the page shows. */
function canonicalText(tenantId: string, entry: WalletEntry): string {
  const { index, recordedAt, kind, playerIndex, salt, body } = entry;
  return canonicalJson(['guildhall-wallet-1', tenantId, index, recordedAt, kind, playerIndex, salt, body]);
}

/** JSON without white space. The members of objects are sorted by UTF-16 code units. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}
