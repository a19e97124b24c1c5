import type { IdempotentRequest } from '../../../http/idempotency-key.ts';
import type { BillingContext } from '../../../core/billing-context.ts';
import { ProblemError } from '../../../core/problem.ts';

/** Who asks: a tenant's game server, and, where a bearer stands beside its key, the player it acts for. */
export interface MatchCaller {
  /** The tenant, and who pays. */
  billing: BillingContext;
  playerId: string | undefined;
  /** For the operations that keep their answers. */
  idempotency?: IdempotentRequest | undefined;
}

/** Throws forbidden where a bearer's player would act for anybody else. */
export function refuseForOthers(caller: MatchCaller, playerIds: string[]): void {
  const { playerId } = caller;
  if (playerId !== undefined && playerIds.some((id) => id !== playerId))
    throw new ProblemError(
      'forbidden',
      'A request with a bearer token may act for the player of that token only.',
    );
}
