import type { FastifyRequest } from 'fastify';
import type { Author, Origin, Report, Self } from '../core/author.ts';
import type { BillingContext } from '../core/billing-context.ts';
import type { AccountCaller, BearerCaller, KeyCaller, PlayerCaller, WalletCaller } from '../core/callers.ts';
import { clientAddress } from './client-address.ts';

const LONGEST_USER_AGENT = 256;

declare module 'fastify' {
  interface FastifyRequest {
    keyCaller: KeyCaller | null;
    playerCaller: PlayerCaller | null;
    accountCaller: AccountCaller | null;
    bearerCaller: BearerCaller | null;
    walletCaller: WalletCaller | null;
    billing: BillingContext | null;
  }
}

/** The key that the route's credential scope has verified. */
export function keyOf(request: FastifyRequest): KeyCaller {
  return request.keyCaller ?? outsideOfScope(request, 'key');
}

/** What the request is charged to the payer of its key: one for each request, so that it shows whether it was. */
export function billingOf(request: FastifyRequest): BillingContext {
  const { payerId: workspaceId, payerHasHardStop: hasHardStop, tenantId, keyId } = keyOf(request);
  return (request.billing ??= { workspaceId, tenantId, keyId, hasHardStop, chargedTransactions: 0 });
}

/** The same where a request may come without a key: then nobody is charged. */
export function anyBillingOf(request: FastifyRequest): BillingContext | undefined {
  return request.keyCaller ? billingOf(request) : undefined;
}

/** The player that the route's credential scope has verified. */
export function playerOf(request: FastifyRequest): PlayerCaller {
  return request.playerCaller ?? outsideOfScope(request, 'player');
}

/** The dashboard account that the route's credential scope has verified. */
export function accountOf(request: FastifyRequest): AccountCaller {
  return request.accountCaller ?? outsideOfScope(request, 'account');
}

/** The bearer token that the route's credential scope has verified. */
export function bearerOf(request: FastifyRequest): BearerCaller {
  return request.bearerCaller ?? outsideOfScope(request, 'bearer token');
}

/** The wallet-linked player that the route's credential scope has verified. */
export function walletOf(request: FastifyRequest): WalletCaller {
  return request.walletCaller ?? outsideOfScope(request, 'wallet-linked player');
}

/** The account that the route's credential scope has verified, as the author of what the request changes. */
export function authorOf(request: FastifyRequest): Author {
  return { actor: { kind: 'account', id: accountOf(request).accountId }, origin: originOf(request) };
}

/** The account that the route's credential scope has verified, for what it changes of its own. */
export function selfOf(request: FastifyRequest): Self {
  const { accountId, sessionId } = accountOf(request);
  return { accountId, sessionId, origin: originOf(request) };
}

/** Where a request comes from, as the audit trail and the list of sessions keep it. */
export function originOf(request: FastifyRequest): Origin {
  const userAgent = request.headers['user-agent']?.slice(0, LONGEST_USER_AGENT) ?? null;
  return { ip: clientAddress(request), id: request.id, userAgent };
}

/** Whether a proxy sent the request on, by its own word: so it need not come from this machine. */
export function isForwarded({ headers }: FastifyRequest): boolean {
  return ['x-forwarded-for', 'x-real-ip', 'forwarded', 'via'].some((name) => headers[name] !== undefined);
}

/** Reports into the log of a request. */
export function reporterOf(request: FastifyRequest): Report {
  return (error, what) => request.log.error({ err: error }, what);
}

function outsideOfScope(request: FastifyRequest, what: string): never {
  throw new Error(
    `${request.routeOptions.url} asks for a ${what}, but is not registered in a scope that verifies one.`,
  );
}
