import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { AccountAuthor, Origin, Self } from '../core/author.ts';
import type { BillingContext } from '../core/billing-context.ts';
import type { AccountCaller, BearerCaller, KeyCaller, PlayerCaller, WalletCaller } from '../core/callers.ts';
import { isGuid } from '../core/ids.ts';
import type { Role } from '../core/role.ts';
import type { ReportError } from '../core/report-error.ts';
import { clientAddress } from './client-address.ts';

const MAX_USER_AGENT_LENGTH = 256;

declare module 'fastify' {
  interface FastifyRequest {
    keyCaller: KeyCaller | null;
    playerCaller: PlayerCaller | null;
    accountCaller: AccountCaller | null;
    /** The role of the account in the workspace or tenant of the path. */
    accountRole: Role | null;
    bearerCaller: BearerCaller | null;
    walletCaller: WalletCaller | null;
    billing: BillingContext | null;
    /** The code of the problem that the request was answered with. */
    problemCode: string | null;
  }
}

/** Adds the properties of a request that credentials and handlers set. */
export function decorateRequests(app: FastifyInstance): void {
  const callers = ['keyCaller', 'playerCaller', 'accountCaller', 'bearerCaller', 'walletCaller'];
  for (const member of [...callers, 'accountRole', 'billing', 'problemCode'])
    app.decorateRequest(member, null);
}

/** The verified key. */
export function keyOf(request: FastifyRequest): KeyCaller {
  return request.keyCaller ?? missingCaller(request, 'key');
}

/** The billing context of a request on a key. A request has only one, which records whether it was charged. */
export function billingOf(request: FastifyRequest): BillingContext {
  const { payerId, payerHasHardStop, tenantId, keyId } = keyOf(request);
  return (request.billing ??= {
    payerId,
    tenantId,
    keyId,
    payerHasHardStop,
    passesHardStop: request.routeOptions.config.passesHardStop ?? false,
    chargedTransactions: 0,
  });
}

/** The billing context of a request on a key, and the address of its client. */
export function sourceOf(request: FastifyRequest): { billing: BillingContext; ipAddress: string | null } {
  return { billing: billingOf(request), ipAddress: clientAddress(request) };
}

/** The billing context, or undefined if the request has no key. Nobody is charged then. */
export function anyBillingOf(request: FastifyRequest): BillingContext | undefined {
  return request.keyCaller ? billingOf(request) : undefined;
}

/** The verified player. */
export function playerOf(request: FastifyRequest): PlayerCaller {
  return request.playerCaller ?? missingCaller(request, 'player');
}

/** The verified console account. */
export function accountOf(request: FastifyRequest): AccountCaller {
  return request.accountCaller ?? missingCaller(request, 'account');
}

/** The verified bearer token. */
export function bearerOf(request: FastifyRequest): BearerCaller {
  return request.bearerCaller ?? missingCaller(request, 'bearer token');
}

/** The verified wallet-linked player. */
export function walletOf(request: FastifyRequest): WalletCaller {
  return request.walletCaller ?? missingCaller(request, 'wallet-linked player');
}

/** The tenant of a request, for logs and traces: the one of its key or token, or the one that its path names. */
export function tenantIdOf(request: FastifyRequest): string | undefined {
  const { keyCaller, playerCaller, walletCaller } = request;
  const known = keyCaller?.tenantId ?? playerCaller?.tenantId ?? walletCaller?.tenantId;
  if (known) return known;
  const named = (request.params as { tenantId?: unknown } | undefined)?.tenantId;
  return typeof named === 'string' && isGuid(named) ? named : undefined;
}

/** The verified account as the author of a change. */
export function authorOf(request: FastifyRequest): AccountAuthor {
  return { actor: { kind: 'account', id: accountOf(request).accountId }, origin: originOf(request) };
}

/** The verified account, for a change to the account itself. */
export function selfOf(request: FastifyRequest): Self {
  const { accountId, sessionId } = accountOf(request);
  return { accountId, sessionId, origin: originOf(request) };
}

/** The origin of a request, for the audit trail and the list of sessions. */
export function originOf(request: FastifyRequest): Origin {
  const userAgent = request.headers['user-agent']?.slice(0, MAX_USER_AGENT_LENGTH) ?? null;
  return { ip: clientAddress(request), id: request.id, userAgent };
}

/** Returns a reporter that writes to the log of the request. */
export function reporterOf(request: FastifyRequest): ReportError {
  return (error, what) => request.log.error({ err: error }, what);
}

function missingCaller(request: FastifyRequest, what: string): never {
  throw new Error(
    `${request.routeOptions.url} needs a ${what}. Register the route with a credential that verifies one.`,
  );
}

/** Counts the headers with a name in lower case. In `headers` Node keeps only the first of some, and a proxy may use another one. */
export function countHeader({ raw: { rawHeaders } }: FastifyRequest, name: string): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]!.length === name.length && rawHeaders[index]!.toLowerCase() === name) count++;
  return count;
}
