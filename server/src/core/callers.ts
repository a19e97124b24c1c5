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
