import type { FastifyRequest } from 'fastify';

/** A game key or an API key, as far as the rest of the system needs to know it. */
export interface KeyCaller {
  keyId: string;
  kind: 'game' | 'api';
  tenantId: string;
  workspaceId: string;
  allowDataApi: boolean;
  maxMatchEventsPerRequest: number;
  maxPlayerEventsPerRequest: number;
}

/** The player of a verified access token. `tenantId` and `sessionId` are null for a portal token. */
export interface PlayerCaller {
  playerId: string;
  tenantId: string | null;
  sessionId: string | null;
}

/** The dashboard account of a verified SaaS token. */
export interface AccountCaller {
  accountId: string;
  sessionId: string;
}

declare module 'fastify' {
  interface FastifyRequest {
    keyCaller: KeyCaller | null;
    playerCaller: PlayerCaller | null;
    accountCaller: AccountCaller | null;
  }
}

/** The key that the route's credential scope has verified. */
export function keyOf(request: FastifyRequest): KeyCaller {
  return request.keyCaller ?? outsideOfScope(request, 'key');
}

/** The player that the route's credential scope has verified. */
export function playerOf(request: FastifyRequest): PlayerCaller {
  return request.playerCaller ?? outsideOfScope(request, 'player');
}

/** The dashboard account that the route's credential scope has verified. */
export function accountOf(request: FastifyRequest): AccountCaller {
  return request.accountCaller ?? outsideOfScope(request, 'account');
}

function outsideOfScope(request: FastifyRequest, what: string): never {
  throw new Error(
    `${request.routeOptions.url} asks for a ${what}, but is not registered in a scope that verifies one.`,
  );
}
