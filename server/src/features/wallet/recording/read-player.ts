import { evmAddress } from '../../../core/evm-address.ts';
import { ProblemError } from '../../../core/problem.ts';
import { isValidFor, type Actor } from './ledger-state.ts';
import { normalisePlayerId } from './player-id.ts';
import { findPlayerByAddress, findPlayerById, findPlayers } from './state-queries.ts';
import type { LedgerServices } from './read-ledger.ts';

/** A wallet-linked player as the API returns it. */
interface FullWalletPlayer {
  playerId: string;
  address: string;
  playerType: number;
  score: bigint;
  /** The player's proven identities by sign-in provider. */
  identifiers: Record<string, string>;
  verifiedAddresses: string[];
}

/** The index of the player that an address is linked to. Throws not_found, even for an invalid address. */
export async function lookUpAddress(
  { database, recorder }: LedgerServices,
  tenantId: string,
  text: string,
): Promise<{ playerIndex: number }> {
  const address = evmAddress(text);
  const player = address && (await findPlayerByAddress(database.forTenant(tenantId), tenantId, address));
  if (!player) throw new ProblemError('not_found', 'No player is linked to the address.');
  return { playerIndex: (await recorder.findIndex(tenantId, 'address', address)) ?? player.playerIndex };
}

/** The index of the player with a playerId. Throws not_found if the playerId is free. */
export async function lookUpPlayerId(
  { database, recorder }: LedgerServices,
  tenantId: string,
  text: string,
): Promise<{ playerIndex: number }> {
  const playerId = normalisePlayerId(text);
  const player = await findPlayerById(database.forTenant(tenantId), tenantId, playerId);
  if (!player) throw new ProblemError('not_found', 'No player has this playerId.');
  return { playerIndex: (await recorder.findIndex(tenantId, 'name', playerId)) ?? player.playerIndex };
}

/** Reads a player of the tenant. Any player of the tenant may read any other. Throws not_found. */
export async function readPlayer(
  { database, recorder }: LedgerServices,
  tenantId: string,
  actor: Actor,
  playerIndex: number,
): Promise<FullWalletPlayer> {
  const tenant = database.forTenant(tenantId);
  const players = await findPlayers(tenant, tenantId, {
    playerIndexes: [actor.playerIndex, playerIndex],
  });
  const reader = players.find((player) => player.playerIndex === actor.playerIndex);
  if (!reader || !isValidFor(actor, reader)) throw new ProblemError('invalid_bearer');
  const player = players.find((each) => each.playerIndex === playerIndex);
  if (!player) throw new ProblemError('not_found', 'The tenant has no such player.');
  const recorded = await recorder.readPlayer(tenant, tenantId, playerIndex);
  const { playerId, address, playerType, score, isVerified } = { ...player, ...recorded };
  return {
    playerId,
    address,
    playerType,
    score,
    identifiers: isVerified ? { EvmWallet: address } : {},
    verifiedAddresses: isVerified ? [address] : [],
  };
}
