import type { Querier } from '../../../database/database.ts';
import type { IdempotentRequest } from '../../../http/idempotency-key.ts';
import { ProblemError } from '../../../core/problem.ts';
import { claimKey, findStoredResponse, storeResponse } from './queries.ts';

/**
 * Runs `work` once per idempotency key, in the caller's transaction in the scope of the tenant. A repeated request gets the
 * stored response of the first one. `toStored` decides what is stored. If requests run in parallel, one runs `work` and the
 * others wait for its response. If `work` throws, the claim is rolled back, so the client can repeat the request. A request
 * without a key always runs `work`. A hard stop does not refuse a repeated request. Throws idempotency_key_reused.
 */
export async function runOnce<Response extends Stored, Stored extends object = Response>(
  transaction: Querier,
  request: IdempotentRequest | undefined,
  work: () => Promise<Response>,
  toStored: (response: Response) => Stored = (response) => response,
): Promise<Stored> {
  if (!request) return work();
  // The first read takes no lock. Otherwise many repetitions of one key would wait for its row and block one connection each.
  const known = await findStoredResponse(transaction, request);
  if (!known && (await claimKey(transaction, request))) {
    const response = await work();
    await storeResponse(transaction, request, JSON.stringify(toStored(response)));
    return response;
  }
  const first = known ?? (await findStoredResponse(transaction, request));
  if (!first) throw new Error('The idempotency record was deleted while it was locked.');
  if (!first.hash.equals(request.hash))
    throw new ProblemError(
      'idempotency_key_reused',
      'A different request used this Idempotency-Key within the last 24 hours. Send each new request with a new key.',
    );
  if (request.billing) request.billing.passesHardStop = true;
  return JSON.parse(first.response) as Stored;
}
