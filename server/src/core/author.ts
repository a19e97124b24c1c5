/** The author of a change and the origin of the request, as the audit trail stores them. */
export interface Author {
  actor: { kind: 'account' | 'player' | 'key' | 'system'; id: string | null };
  origin?: Origin;
}

/** A console account as the author. */
export interface AccountAuthor extends Author {
  actor: { kind: 'account'; id: string };
}

/** The author of automatic changes, and of changes by commands of the operator. */
export const SYSTEM = { actor: { kind: 'system', id: null } } as const satisfies Author;

/** The origin of a request. */
export interface Origin {
  ip: string | null;
  id: string;
  /** The User-Agent header, at most 256 characters. The client chooses it, so do not trust it. */
  userAgent?: string | null;
}

/** The account that changes itself, with its session and the origin of the request. */
export interface Self {
  accountId: string;
  sessionId: string;
  origin: Origin;
}
