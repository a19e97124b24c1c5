import { ProblemError, type ProblemCode } from '../../../core/problem.ts';
import type { CreateBudget, ReservedAttempt } from '../../../security/attempt-budget.ts';
import { createNetworkBudget } from '../../../security/network-budget.ts';
import type { Identity, TokenProvider, TokenSource } from './identity.ts';

/** Refusals of the store for a network in a tenant. */
const REFUSED_TOKENS = 300;
/** Answers of the store about one token. A client may sign in again with it. */
const USES_OF_TOKEN = 30;
const WINDOW_SECONDS = 15 * 60;

/** The store refused the token, or the key of the studio. */
const REFUSALS: ProblemCode[] = ['invalid_credentials', 'provider_not_available'];

/** Runs the verification of a token by a store. Throws too_many_attempts without running it. */
type LimitStoreToken = (
  source: TokenSource,
  token: { provider: TokenProvider; token: string },
  verify: () => Promise<Identity>,
) => Promise<Identity>;

/**
 * Limits the requests to stores. A store limits those with the key of a studio: StoreA allows 100,000 per day. Anybody with the public game
 * key could use them up with wrong tokens, or with a right one, and then no player could sign in. A refused key of the studio counts too,
 * because the request reached the store. Failures of the store do not count.
 */
export function createStoreTokenLimits(createBudget: CreateBudget): LimitStoreToken {
  const refused = createNetworkBudget(createBudget, {
    name: 'refused-store-tokens',
    attempts: REFUSED_TOKENS,
    seconds: WINDOW_SECONDS,
    refusal: `The store has refused too many tokens of this network (${REFUSED_TOKENS} in 15 minutes). Retry after the number of seconds in Retry-After.`,
  });
  const uses = createBudget({
    name: 'uses-of-store-token',
    attempts: USES_OF_TOKEN,
    seconds: WINDOW_SECONDS,
    refusal: `This token was sent too often (${USES_OF_TOKEN} times in 15 minutes). Get a new one, or retry after the number of seconds in Retry-After.`,
  });

  return async ({ tenantId, ipAddress }, { provider, token }, verify) => {
    const attempt = await refused.reserve(ipAddress, tenantId);
    let use: ReservedAttempt | undefined;
    let answer: 'accepted' | 'refused' | undefined;
    try {
      // StoreA accepts the hexadecimal digits of a ticket in any letter case.
      const sameToken = provider === 'StoreA' ? token.toLowerCase() : token;
      use = await uses.reserve(`${tenantId} ${provider} ${sameToken}`);
      const identity = await verify();
      answer = 'accepted';
      return identity;
    } catch (error) {
      if (error instanceof ProblemError && REFUSALS.includes(error.code)) answer = 'refused';
      throw error;
    } finally {
      await Promise.all([
        answer === undefined ? use?.giveBack() : use?.count(),
        answer === 'refused' ? attempt.count() : attempt.giveBack(),
      ]);
    }
  };
}
