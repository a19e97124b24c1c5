import { toHex, zeroHash, type Hex } from 'viem';
import type { Vault } from '../../../../security/vault.ts';
import { findFate, findFirstHash, type Batch, type Chain } from '../../chain/index.ts';
import type { EntryBody, LedgerEntry } from '../ledger-entry.ts';
import { findLastChange } from '../queries.ts';
import type { Recorder } from './recorder.ts';

/** Entries that go into one call: all of them new players, they take a quarter of the gas that a transaction may take. */
const ENTRIES_A_CALL = 32;

/**
 * Records in the ledger and on an EVM chain. The call is signed and put into the outbox with the entries; entries that were
 * written together may share a transaction. See decision 0032.
 */
export function evmRecorder(chain: Chain, vault: Vault): Recorder {
  return {
    kind: 'evm',
    async seal(transaction, tenantId, entries) {
      const hashes: Hex[] = [];
      for (let start = 0; start < entries.length; start += ENTRIES_A_CALL) {
        const together = entries.slice(start, start + ENTRIES_A_CALL);
        const hash = await chain.enqueueBatch(transaction, batchOf(vault, tenantId, together));
        hashes.push(...together.map(() => hash));
      }
      return hashes;
    },
    async describe(db, answered) {
      const fate = await findFate(db, answered);
      if (!fate) return {};
      const { minedHash, ...chain } = fate;
      return { transactionHash: minedHash ?? answered, chain };
    },
    answeredHash: async (db, transactionHash) =>
      (await findFirstHash(db, transactionHash)) ?? transactionHash,
    async findIndex(tenantId, what, text) {
      const index = await chain.reader.findPlayer(tenantId, what, onChain(vault, tenantId, what, text));
      return index || undefined;
    },
    async readPlayer(db, tenantId, playerIndex) {
      const [player, lastChange] = await Promise.all([
        chain.reader.readPlayer(tenantId, playerIndex),
        findLastChange(db, tenantId, playerIndex),
      ]);
      // Without a name it was added before there was a chain.
      if (!player || player.name === zeroHash || player.entry < lastChange) return undefined;
      return { playerType: player.kind, score: player.score };
    },
  };
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
      const name = onChain(vault, tenantId, 'name', playerId);
      const account = onChain(vault, tenantId, 'address', address);
      batch.newPlayers.push({ index, kind: playerType, name, account });
    }
    if (entry.kind === 'player.scored') batch.newScores.push({ index, score: BigInt(entry.body.score) });
  }
  return batch;
}

/**
 * A name or an address as the chain gets to see it. It takes the master key to compute, so nobody finds out who plays by trying
 * all addresses that there are.
 */
function onChain(vault: Vault, tenantId: string, what: 'name' | 'address', text: string): Hex {
  return toHex(vault.fingerprint(`wallet ${what} ${tenantId} ${text}`));
}
