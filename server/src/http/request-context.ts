import type { FastifyRequest } from 'fastify';
import type { BillingContext } from '../core/billing-context.ts';
import { clientAddress } from './client-address.ts';

/** How many requests a key may send in a minute, and in an hour. */
export interface RateLimit {
  perMinute: number;
  perHour: number;
}

/** A game key or an API key, as far as the rest of the system needs to know it. */
export interface KeyCaller {
  keyId: string;
  kind: 'game' | 'api';
  tenantId: string;
  workspaceId: string;
  allowDataApi: boolean;
  /** Its own where it has one, else its workspace's. */
  rateLimit: RateLimit;
  maxMatchEventsPerRequest: number;
  maxPlayerEventsPerRequest: number;
  /** What may come in within a minute without an alert: requests, and bytes of their bodies. */
  alertThresholds: { rate_spike: number; payload_spike: number };
  /** The workspace that pays for what comes in on the key, and whether its plan has a hard stop. */
  payerId: string;
  payerHasHardStop: boolean;
}

/** The player of a verified access token. `tenantId` is null for a portal token. */
export interface PlayerCaller {
  playerId: string;
  tenantId: string | null;
  sessionId: string | null;
}

/** The wallet-linked player of a verified platform JWT. */
export interface WalletCaller {
  tenantId: string;
  playerIndex: number;
  /** Whether the address was shown to be the player's when the token was issued. */
  isVerified: boolean;
}

/** The dashboard account of a verified SaaS token. */
export interface AccountCaller {
  accountId: string;
  sessionId: string;
  /** When the token expires. */
  expiresAtMs: number;
}

/**
 * What a bearer token turned out to be, of whatever kind, for the endpoints that are about tokens. A third party's refresh
 * token is taken as it comes: what it is worth shows when it is exchanged.
 */
export type BearerCaller =
  | ({ kind: 'player' } & PlayerCaller)
  | ({ kind: 'assertion' } & AssertionCaller)
  | { kind: 'third_party'; refreshToken: string }
  | { kind: 'other' };

/** Whom a verified assertion speaks for, and to whom. Times are ISO 8601. */
export interface AssertionCaller {
  playerId: string;
  tenantId: string;
  sessionId: string;
  audience: string;
  displayName: string | undefined;
  email: string | undefined;
  issuedAt: string;
  expiresAt: string;
}

/** Who makes a change, and with which request: what the audit trail keeps of it. */
export interface Author {
  actor: { kind: 'account' | 'player' | 'key' | 'system'; id: string | null };
  origin?: Origin;
}

/** Where a request comes from. */
export interface Origin {
  ip: string | null;
  id: string;
  /** What the client calls itself, at most 256 characters: the caller's to choose. */
  userAgent?: string | null;
}

const LONGEST_USER_AGENT = 256;

/** Tells the log of what failed beside a request, whose answer does not depend on it. */
export type Report = (error: unknown, what: string) => void;

declare module 'fastify' {
  interface FastifyRequest {
    keyCaller: KeyCaller | null;
    playerCaller: PlayerCaller | null;
    accountCaller: AccountCaller | null;
    bearerCaller: BearerCaller | null;
    walletCaller: WalletCaller | null;
    charge: BillingContext | null;
  }
}

/** The key that the route's credential scope has verified. */
export function keyOf(request: FastifyRequest): KeyCaller {
  return request.keyCaller ?? outsideOfScope(request, 'key');
}

/** What the request is charged to the payer of its key: one for each request, so that it shows whether it was. */
export function billingOf(request: FastifyRequest): BillingContext {
  const { payerId: workspaceId, payerHasHardStop: hasHardStop, tenantId, keyId } = keyOf(request);
  return (request.charge ??= { workspaceId, tenantId, keyId, hasHardStop, committed: 0 });
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

/** The account that makes a request about itself, the session it makes it in, and where from. */
export interface Self {
  accountId: string;
  sessionId: string;
  origin: Origin;
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
