import { toHex, zeroHash, type Hex } from 'viem';
import type { Vault } from '../../../security/vault.ts';
import { callGas, enqueueBatch, findTransactionStatus, type Batch, type Chain } from '../chain/index.ts';
import type { EntryBody, LedgerEntry } from './ledger-entry.ts';
import { findLastChange } from './queries.ts';
import type { Recorder } from './recorder.ts';

const ENTRIES_PER_CALL = 32;

/**
 * Gas per call: eight new players. By default, geth and Erigon refuse a transaction that may cost more than 1 ether. At the default
 * of CHAIN_MAX_FEE_GWEI, this gas costs 0.95 ether.
 */
const GAS_PER_CALL = 1_900_000;

/**
 * Records in the ledger and on an EVM chain. The transaction that writes the entries also enqueues the signed call in the
 * outbox. Entries of one batch may share a call (docs/decisions/0032-chain-outbox.md).
 */
export function createEvmRecorder(chain: Chain, vault: Vault): Recorder {
  return {
    async assignHashes(transaction, tenantId, entries) {
      const hashes: Hex[] = [];
      for (const together of splitIntoCalls(entries)) {
        const hash = await enqueueBatch(transaction, chain, batchOf(vault, tenantId, together));
        hashes.push(...together.map(() => hash));
      }
      return hashes;
    },
    async describe(db, recordedHash) {
      const status = await findTransactionStatus(db, recordedHash);
      if (!status) return {};
      const { minedHash, ...chain } = status;
      return { transactionHash: minedHash ?? recordedHash, chain };
    },
    async findIndex(tenantId, what, text) {
      const index = await chain.reader.findPlayer(tenantId, what, keyedHash(vault, tenantId, what, text));
      return index || undefined;
    },
    async readPlayer(db, tenantId, playerIndex) {
      const [player, lastChange] = await Promise.all([
        chain.reader.readPlayer(tenantId, playerIndex),
        findLastChange(db, tenantId, playerIndex),
      ]);
      // A player without a name was added before the chain was configured.
      if (!player || player.name === zeroHash || player.entry < lastChange) return undefined;
      return { playerType: player.kind, score: player.score };
    },
  };
}

function* splitIntoCalls(entries: LedgerEntry[]): Generator<LedgerEntry[]> {
  let together: LedgerEntry[] = [];
  let gas = callGas.empty;
  for (const entry of entries) {
    const more = gasOf(entry);
    if (together.length === ENTRIES_PER_CALL || gas + more > GAS_PER_CALL) {
      yield together;
      together = [];
      gas = callGas.empty;
    }
    together.push(entry);
    gas += more;
  }
  yield together;
}

function gasOf({ kind }: LedgerEntry): number {
  if (kind === 'player.added') return callGas.entry + callGas.newPlayer;
  if (kind === 'player.scored') return callGas.entry + callGas.newScore;
  return callGas.entry;
}

function batchOf(vault: Vault, tenantId: string, entries: LedgerEntry[]): Batch {
  const batch: Batch = {
    tenantId,
    first: entries[0]!.index,
    hashes: entries.map(({ hash }) => hash),
    newPlayers: [],
    newScores: [],
  };
  for (const { kind, playerIndex: index, body: text } of entries) {
    const entry = { kind, body: JSON.parse(text) } as EntryBody;
    if (entry.kind === 'player.added') {
      const { playerId, address, playerType } = entry.body;
      const name = keyedHash(vault, tenantId, 'name', playerId);
      const account = keyedHash(vault, tenantId, 'address', address);
      batch.newPlayers.push({ index, kind: playerType, name, account });
    }
    if (entry.kind === 'player.scored') batch.newScores.push({ index, score: BigInt(entry.body.score) });
  }
  return batch;
}

/**
 * The HMAC of a name or an address for the chain. Without the master key, nobody can find the players by hashing all known
 * addresses.
 */
function keyedHash(vault: Vault, tenantId: string, what: 'name' | 'address', text: string): Hex {
  return toHex(vault.fingerprint(`wallet ${what} ${tenantId} ${text}`));
}
