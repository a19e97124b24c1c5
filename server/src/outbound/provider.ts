import { BrokenCircuitError, handleType } from 'cockatiel';
import { createLruCache } from '../core/lru-cache.ts';
import { ProblemError } from '../core/problem.ts';
import { createCircuitBreaker } from './circuit-breaker.ts';
import {
  OutboundError,
  type OutboundAnswer,
  type OutboundClient,
  type OutboundRequest,
} from './http-client.ts';

/** An external server that sign-ins depend on. */
export interface OutboundProvider {
  /** Sends a request. Throws provider_unavailable if there is no response, or a 5xx or 429 response. */
  ask(url: string, request?: OutboundRequest): Promise<OutboundAnswer>;
}

/** After this many consecutive failures the circuit opens, so that sign-ins fail at once instead of after 5 seconds. */
const FAILURES = 5;
/** How long the circuit stays open. Then one request tests the provider. */
const OPEN_MS = 10_000;

/** Creates a provider with a circuit breaker. Error messages contain `name`. */
export function createOutboundProvider(
  name: string,
  client: OutboundClient,
  now?: () => number,
): OutboundProvider {
  const breaker = createCircuitBreaker({
    failures: handleType(OutboundError),
    opensAfter: FAILURES,
    openMs: OPEN_MS,
    now,
  });
  return {
    async ask(url, request) {
      try {
        return await breaker.execute(async () => {
          const answer = await client.send(url, request);
          if (answer.status >= 500) throw new OutboundError(`${name} answered ${answer.status}.`);
          // One tenant has reached a limit of the provider. That must not open the circuit for all tenants.
          if (answer.status === 429)
            throw new ProblemError(
              'provider_unavailable',
              `${name} accepts no more requests at the moment. Try again in a minute.`,
            );
          return answer;
        });
      } catch (error) {
        if (error instanceof BrokenCircuitError) throw unavailable(name);
        if (error instanceof OutboundError) throw unavailable(name, error);
        throw error;
      }
    },
  };
}

/** How many tenants have a circuit breaker for each provider. */
const MAX_TENANTS = 10_000;

/**
 * Creates a provider with a circuit breaker per tenant. Responses may depend on the settings of a tenant, so its
 * failures must not affect other tenants.
 */
export function createTenantProviders(name: string, client: OutboundClient) {
  const providers = createLruCache<string, OutboundProvider>(MAX_TENANTS);
  return (tenantId: string): OutboundProvider => {
    let provider = providers.get(tenantId);
    if (!provider) providers.set(tenantId, (provider = createOutboundProvider(name, client)));
    return provider;
  };
}

/** Parses a response as a JSON object. Returns undefined for anything else. */
export function jsonObjectOf({ text }: OutboundAnswer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The error for a response that the provider does not document. The log omits the response text, because it may repeat
 * secrets of the request.
 */
export function notUnderstood(name: string, { status }: OutboundAnswer): ProblemError {
  return new ProblemError(
    'provider_unavailable',
    `${name} sent an unexpected response. Try again in a moment.`,
    {
      cause: new OutboundError(`${name} sent an undocumented response with status ${status}.`),
    },
  );
}

function unavailable(name: string, cause?: OutboundError): ProblemError {
  const options = cause && { cause };
  return new ProblemError('provider_unavailable', `${name} does not answer. Try again in a moment.`, options);
}
