/** The rate limit of a key, in requests per minute and per hour. */
export interface RateLimit {
  perMinute: number;
  perHour: number;
}

/** The most events in a request on any plan. A plan may allow fewer. */
export const MAX_EVENTS_PER_REQUEST = 10_000;

/** A game key writes the data of its tenant, and an API key reads it. */
export type KeyKind = 'game' | 'api';

/** A verified key. */
export interface KeyCaller {
  keyId: string;
  kind: KeyKind;
  tenantId: string;
  workspaceId: string;
  allowDataApi: boolean;
  /** Whether a request that acts for a player also needs the access token of that player. Never true for an API key. */
  requirePlayerToken: boolean;
  /** The limit of the key, or of its workspace if the key has none. */
  rateLimit: RateLimit;
  maxMatchEventsPerRequest: number;
  maxPlayerEventsPerRequest: number;
  /** The alert thresholds per minute: requests, and bytes of request bodies. */
  alertThresholds: { rate_spike: number; payload_spike: number };
  /** The workspace that pays for requests on the key, and whether its plan has a hard stop. */
  payerId: string;
  payerHasHardStop: boolean;
}

/** The player of a verified access token. `tenantId` is null for a portal token. */
export interface PlayerCaller {
  playerId: string;
  tenantId: string | null;
  sessionId: string | null;
  /** When the token expires. */
  expiresAtMs: number;
}

/** The wallet-linked player of a verified platform JWT. */
export interface WalletCaller {
  tenantId: string;
  playerIndex: number;
  playerId: string;
  /** Whether the player had proven the ownership of the address when the token was issued. */
  isVerified: boolean;
}

/** The console account of a verified SaaS token. */
export interface AccountCaller {
  accountId: string;
  sessionId: string;
  /** When the token expires. */
  expiresAtMs: number;
}

/**
 * A verified bearer token of any kind, for the endpoints about tokens. A third party's refresh token is not verified
 * here, but when it is exchanged.
 */
export type BearerCaller =
  | ({ kind: 'player' } & PlayerCaller)
  | ({ kind: 'assertion' } & AssertionCaller)
  | { kind: 'third_party'; refreshToken: string }
  | { kind: 'other' };

/** The player and the audience of a verified assertion. Times are ISO 8601. */
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
