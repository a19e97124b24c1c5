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

/** The account that makes a request about itself, the session it makes it in, and where from. */
export interface Self {
  accountId: string;
  sessionId: string;
  origin: Origin;
}

/** Tells the log of what failed beside a request, whose answer does not depend on it. */
export type Report = (error: unknown, what: string) => void;
