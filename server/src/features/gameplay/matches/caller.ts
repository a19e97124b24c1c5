import type { IdempotentRequest } from '../../../http/idempotency-key.ts';
import type { BillingContext } from '../../../core/billing-context.ts';
import { ProblemError } from '../../../core/problem.ts';
import type { Querier } from '../../../database/database.ts';
import { listMergedProfiles } from '../../players/merged-profiles/index.ts';

/** The caller of a match operation: a game key, and the player if the request also has a bearer token. */
export interface MatchCaller {
  billing: BillingContext;
  /** Undefined without a bearer token. */
  playerId: string | undefined;
  /** Set if the operation accepts an `Idempotency-Key`. */
  idempotency?: IdempotentRequest | undefined;
}

/** Throws `forbidden` if the caller has a bearer token and one of the players is not the player of the token. */
export function requireOwnPlayer(caller: MatchCaller, playerIds: string[]): void {
  const { playerId } = caller;
  if (playerId !== undefined && playerIds.some((id) => id !== playerId))
    throw new ProblemError(
      'forbidden',
      'A request with a bearer token may act for the player of that token only. To act for other players, or to end a match that ' +
        'others were in, let the game server send its game key alone.',
    );
}

/**
 * {@link requireOwnPlayer} for the players of roster entries. Entries of profiles that were merged into the caller's are the caller's too.
 * Reads the entries only if the caller has a bearer token.
 */
export async function requireOwnEntries(
  tenant: Querier,
  caller: MatchCaller,
  readEntries: (tenant: Querier) => Promise<{ playerId: string }[]>,
): Promise<void> {
  const { playerId, billing } = caller;
  if (playerId === undefined) return;
  const entries = await readEntries(tenant);
  const others = entries.map((entry) => entry.playerId).filter((id) => id !== playerId);
  if (others.length === 0) return;
  const merged = await listMergedProfiles(tenant, billing.tenantId, playerId);
  requireOwnPlayer(
    caller,
    others.filter((id) => !merged.includes(id)),
  );
}
