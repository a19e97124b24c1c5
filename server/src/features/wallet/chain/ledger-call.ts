import { decodeFunctionData, encodeFunctionData, size, type Hex } from 'viem';
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
 * An upper bound of the gas of a call, without a simulation. EIP-7623 requires at least 40 per byte. An entry writes a log, and a
 * new player writes eight words of storage. Unused gas is not paid.
 */
export function gasOf(data: Hex, { hashes, newPlayers, newScores }: Batch): number {
  return (
    100_000 +
    40 * size(data) +
    5_000 * hashes.length +
    200_000 * newPlayers.length +
    60_000 * newScores.length
  );
}
