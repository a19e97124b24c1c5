import type { Querier } from '../../../database/database.ts';
import type { IdempotentRequest } from '../../../http/idempotency-key.ts';
import { ProblemError } from '../../../core/problem.ts';
import { claimKey, findAnswer, storeAnswer } from './queries.ts';

/**
 * Runs `work` once for each idempotency key, in the caller's transaction in the scope of the tenant; an equal request gets the
 * answer of the first one, as `stored` leaves it. Of parallel requests one runs, and the others wait for its answer. What
 * `work` throws undoes the claim too, so a refused request may be repeated. Without a key `work` just runs. Throws
 * idempotency_key_reused.
 */
export async function runOnce<Answer extends Stored, Stored extends object = Answer>(
  transaction: Querier,
  request: IdempotentRequest | undefined,
  work: () => Promise<Answer>,
  stored: (answer: Answer) => Stored = (answer) => answer,
): Promise<Stored> {
  if (!request) return work();
  // Looked for without a lock first: requests that repeat one key must not queue for its row with a connection each.
  const known = await findAnswer(transaction, request);
  if (!known && (await claimKey(transaction, request))) {
    const answer = await work();
    await storeAnswer(transaction, request, JSON.stringify(stored(answer)));
    return answer;
  }
  const first = known ?? (await findAnswer(transaction, request));
  if (!first) throw new Error('An idempotency record is gone while it is locked.');
  if (!first.hash.equals(request.hash))
    throw new ProblemError(
      'idempotency_key_reused',
      'This Idempotency-Key belongs to another request of the last 24 hours. Use a new key for a new request.',
    );
  return JSON.parse(first.answer) as Stored;
}
