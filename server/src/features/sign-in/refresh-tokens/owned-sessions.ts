import { enterScope, type Database, type Querier, type Scope } from '../../../database/database.ts';
import type { Origin } from '../../../core/author.ts';
import { ProblemError } from '../../../core/problem.ts';
import type { StoredRefreshToken } from '../../../security/refresh-tokens.ts';
import type { Vault } from '../../../security/vault.ts';
import { exchangeRefreshToken, type RefreshRequest, type TokenUse } from './refresh-token-exchange.ts';

/**
 * The storage of sessions that belong to a player or to an account, and to no tenant. The scope of such a session is known only
 * after its refresh token was found.
 */
export interface OwnedSessions<Session extends { sessionId: string }> {
  kind: 'portal' | 'session';
  owner: 'player' | 'account';
  ownerId(session: Session): string;
  /** Finds the session of a token, valid or not, without a scope. Undefined if the token was never issued. */
  findSession(db: Querier, hash: Buffer): Promise<Session | undefined>;
  rotateToken(db: Querier, hash: Buffer, next: StoredRefreshToken): Promise<Session | undefined>;
  findTokenUse(db: Querier, hash: Buffer, successorHash: Buffer): Promise<(Session & TokenUse) | undefined>;
  /** Revokes a session because its refresh token leaked. Returns false if it was revoked before. */
  revokeSession(db: Querier, sessionId: string): Promise<boolean>;
  /** Ends a session by a logout. */
  endSession(db: Querier, sessionId: string): Promise<unknown>;
}

interface Services {
  database: Database;
  vault: Vault;
}

/** Exchanges the refresh token of an owned session for the next one: see {@link exchangeRefreshToken}. */
export async function refreshOwnedSession<Session extends { sessionId: string }>(
  sessions: OwnedSessions<Session>,
  { database, vault }: Services,
  origin: Origin,
  request: RefreshRequest,
): Promise<{ session: Session; refreshToken: string }> {
  const { kind, owner, ownerId } = sessions;
  let issued: Session | undefined;
  return exchangeRefreshToken<Session>(
    {
      kind,
      async rotate(hash, next) {
        issued = await sessions.findSession(database, hash);
        return issued && sessions.rotateToken(scopeOf(sessions, database, issued), hash, next);
      },
      find: async (hash, successorHash) =>
        issued && sessions.findTokenUse(scopeOf(sessions, database, issued), hash, successorHash),
      scope: database,
      async revoke(transaction, session) {
        await enterScope(transaction, `${owner}_id`, ownerId(session));
        return sessions.revokeSession(transaction, session.sessionId);
      },
      reuseOf: (session) => ({
        action: 'refresh_token.reused',
        actor: { kind: owner, id: ownerId(session) },
        origin,
        targetId: session.sessionId,
        details: { consequence: 'no refresh token of the session works any more' },
      }),
    },
    vault,
    request,
  );
}

/**
 * Ends the owned session of a refresh token. All refresh tokens of the session stop working. The access token is valid until it
 * expires. Idempotent. Throws invalid_refresh_token if the token was never issued.
 */
export async function logOutOwnedSession<Session extends { sessionId: string }>(
  sessions: OwnedSessions<Session>,
  { database, vault }: Services,
  token: string,
): Promise<void> {
  const session = await sessions.findSession(database, vault.fingerprint(token));
  if (!session) throw new ProblemError('invalid_refresh_token');
  await sessions.endSession(scopeOf(sessions, database, session), session.sessionId);
}

function scopeOf<Session extends { sessionId: string }>(
  { owner, ownerId }: OwnedSessions<Session>,
  database: Database,
  session: Session,
): Scope {
  const id = ownerId(session);
  return owner === 'player' ? database.forPlayer(id) : database.forAccount(id);
}
