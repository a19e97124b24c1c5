import { decodeFunctionData, encodeFunctionData, type Hex } from 'viem';
import { guildhallLedgerAbi } from '../../../../contracts/guildhall-ledger.ts';

/** Consecutive entries of a tenant's ledger, in the form for the contract. */
export interface Batch {
  tenantId: string;
  /** The index of the first entry. */
  first: number;
  hashes: Hex[];
  newPlayers: { index: number; kind: number; name: Hex; account: Hex }[];
  newScores: { index: number; score: bigint }[];
}

/** The contract's id of a tenant. */
export function tenantOnChain(tenantId: string): Hex {
  return `0x${tenantId.replaceAll('-', '')}`;
}

/** Encodes the call that appends a batch after the entry `follows`. */
export function encodeAppend(
  { tenantId, first, hashes, newPlayers, newScores }: Batch,
  follows: number,
): Hex {
  return encodeFunctionData({
    abi: guildhallLedgerAbi,
    functionName: 'append',
    args: [
      tenantOnChain(tenantId),
      BigInt(follows),
      BigInt(first),
      hashes,
      newPlayers.map((player) => ({ ...player, index: BigInt(player.index) })),
      newScores.map(({ index, score }) => ({ index: BigInt(index), score })),
    ],
  });
}

/** Decodes the tenant and the entries of an append call. */
export function decodeAppend(data: Hex): Pick<Batch, 'tenantId' | 'first' | 'hashes'> {
  const { args } = decodeFunctionData({ abi: guildhallLedgerAbi, data });
  const [tenant, , first, hashes] = args as readonly [Hex, bigint, bigint, readonly Hex[], ...unknown[]];
  const tenantId = tenant.slice(2).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  return { tenantId, first: Number(first), hashes: [...hashes] };
}

/**
 * Upper bounds of the gas of an empty call and of its parts, without a simulation. EIP-7623 requires at least 40 per byte. An entry
 * writes a log, and a new player writes eight words of storage. Unused gas is not paid.
 */
export const callGas = {
  empty: 100_000 + 40 * 292,
  entry: 5_000 + 40 * 32,
  newPlayer: 200_000 + 40 * 128,
  newScore: 60_000 + 40 * 64,
};

/** An upper bound of the gas of a call. */
export function gasOf({ hashes, newPlayers, newScores }: Batch): number {
  return (
    callGas.empty +
    callGas.entry * hashes.length +
    callGas.newPlayer * newPlayers.length +
    callGas.newScore * newScores.length
  );
}
