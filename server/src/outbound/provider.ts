import { BrokenCircuitError, circuitBreaker, ConsecutiveBreaker, handleType } from 'cockatiel';
import { Problem } from '../shared/problem.ts';
import {
  OutboundFailure,
  type OutboundAnswer,
  type OutboundClient,
  type OutboundRequest,
} from './http-client.ts';

/** A server outside that sign-ins depend on. */
export interface OutboundProvider {
  /** Its answer to a request. Throws provider_unavailable where it gives none, or one that says that it is broken. */
  ask(url: string, request?: OutboundRequest): Promise<OutboundAnswer>;
}

/** After this many failures in a row a provider is left alone, so that sign-ins need not wait 5 s each to hear the same. */
const FAILURES = 5;
/** For how long; then one request tries again. */
const LEFT_ALONE_MS = 10_000;

/** A provider behind a circuit breaker. `name` is what callers know it by. */
export function openOutboundProvider(name: string, client: OutboundClient): OutboundProvider {
  const breaker = circuitBreaker(handleType(OutboundFailure), {
    halfOpenAfter: LEFT_ALONE_MS,
    breaker: new ConsecutiveBreaker(FAILURES),
  });
  return {
    async ask(url, request) {
      try {
        return await breaker.execute(async () => {
          const answer = await client.send(url, request);
          if (answer.status >= 500 || answer.status === 429)
            throw new OutboundFailure(`${name} answered ${answer.status}.`);
          return answer;
        });
      } catch (error) {
        if (!(error instanceof OutboundFailure || error instanceof BrokenCircuitError)) throw error;
        throw new Problem('provider_unavailable', `${name} does not answer. Try again in a moment.`);
      }
    },
  };
}
