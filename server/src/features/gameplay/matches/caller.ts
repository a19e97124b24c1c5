import type { IdempotentRequest } from '../../../http/idempotency-key.ts';
import type { BillingContext } from '../../../core/billing-context.ts';
import { ProblemError } from '../../../core/problem.ts';

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
      'A request with a bearer token may act for the player of that token only.',
    );
}

/** {@link requireOwnPlayer} for the players of roster entries. Reads them only if the caller has a bearer token. */
export async function requireOwnEntries(
  caller: MatchCaller,
  readEntries: () => Promise<{ playerId: string }[]>,
): Promise<void> {
  if (caller.playerId === undefined) return;
  const entries = await readEntries();
  requireOwnPlayer(
    caller,
    entries.map(({ playerId }) => playerId),
  );
}
