import { BrokenCircuitError, circuitBreaker, ConsecutiveBreaker, handleType } from 'cockatiel';
import { LRUCache } from 'lru-cache';
import { ProblemError } from '../core/problem.ts';
import {
  OutboundError,
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
export function createOutboundProvider(name: string, client: OutboundClient): OutboundProvider {
  const breaker = circuitBreaker(handleType(OutboundError), {
    halfOpenAfter: LEFT_ALONE_MS,
    breaker: new ConsecutiveBreaker(FAILURES),
  });
  return {
    async ask(url, request) {
      try {
        return await breaker.execute(async () => {
          const answer = await client.send(url, request);
          if (answer.status >= 500) throw new OutboundError(`${name} answered ${answer.status}.`);
          // One tenant has asked too much. That is no reason to leave the provider alone for all of them.
          if (answer.status === 429)
            throw new ProblemError(
              'provider_unavailable',
              `${name} accepts no more requests. Try again in a moment.`,
            );
          return answer;
        });
      } catch (error) {
        if (error instanceof BrokenCircuitError) throw doesNotAnswer(name);
        if (error instanceof OutboundError) throw doesNotAnswer(name, error);
        throw error;
      }
    },
  };
}

/** Circuit breakers of this many tenants are kept for each provider. */
const BREAKERS = 10_000;

/**
 * A provider with a circuit breaker for each tenant: what the provider answers may depend on the settings of the tenant, so the
 * failures of one say nothing about the others.
 */
export function openTenantProviders(name: string, client: OutboundClient) {
  const providers = new LRUCache<string, OutboundProvider>({ max: BREAKERS });
  return (tenantId: string): OutboundProvider => {
    let provider = providers.get(tenantId);
    if (!provider) providers.set(tenantId, (provider = createOutboundProvider(name, client)));
    return provider;
  };
}

/** The JSON object that an answer holds; undefined where it holds anything else. */
export function jsonObjectOf({ text }: OutboundAnswer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** What to throw at an answer that is none of those that the provider documents. The log does not get its text: it could
 * repeat what was asked, secrets included. */
export function notUnderstood(name: string, { status }: OutboundAnswer): ProblemError {
  return new ProblemError(
    'provider_unavailable',
    `${name} sent an unexpected answer. Try again in a moment.`,
    {
      cause: new OutboundError(`${name} answered ${status} with something that it does not document.`),
    },
  );
}

function doesNotAnswer(name: string, cause?: OutboundError): ProblemError {
  const options = cause && { cause };
  return new ProblemError('provider_unavailable', `${name} does not answer. Try again in a moment.`, options);
}
