import { decodeFunctionData, encodeFunctionData, size, type Hex } from 'viem';
import { guildhallLedgerAbi } from '../../../../contracts/guildhall-ledger.ts';

/** Entries of a tenant's ledger, as the contract gets to know them. */
export interface Batch {
  tenantId: string;
  /** The index of the first. */
  first: number;
  hashes: Hex[];
  newPlayers: { index: number; kind: number; name: Hex; account: Hex }[];
  newScores: { index: number; score: bigint }[];
}

/** A tenant as the contract names it. */
export function tenantOnChain(tenantId: string): Hex {
  return `0x${tenantId.replaceAll('-', '')}`;
}

/** The call that appends a batch after the entry `follows`. */
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

/** Whose ledger a call is about, and which entries it appends. */
export function decodeAppend(data: Hex): Pick<Batch, 'tenantId' | 'first' | 'hashes'> {
  const { args } = decodeFunctionData({ abi: guildhallLedgerAbi, data });
  const [tenant, , first, hashes] = args as readonly [Hex, bigint, bigint, readonly Hex[], ...unknown[]];
  const tenantId = tenant.slice(2).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  return { tenantId, first: Number(first), hashes: [...hashes] };
}

/**
 * More gas than the call can burn, without asking: 40 a byte is the floor of EIP-7623, an entry is a log, a new player takes
 * eight words of storage. What is not burnt is not paid.
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
