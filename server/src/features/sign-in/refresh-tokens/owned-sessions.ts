import { enterScope, type Database, type Querier, type Scope } from '../../../database/database.ts';
import type { Origin } from '../../../core/author.ts';
import { ProblemError } from '../../../core/problem.ts';
import type { Vault } from '../../../security/vault.ts';
import { findSession, findTokenUse, rotateToken, type OwnedSession, type SessionTables } from './queries.ts';
import { exchangeRefreshToken, type RefreshRequest } from './refresh-token-exchange.ts';

/** The storage of one kind of sessions. The scope of a session is known only after its refresh token was found. */
export interface OwnedSessions {
  kind: 'portal' | 'session';
  owner: 'player' | 'account';
  tables: SessionTables;
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
export async function refreshOwnedSession(
  sessions: OwnedSessions,
  { database, vault }: Services,
  origin: Origin,
  request: RefreshRequest,
): Promise<{ session: OwnedSession; refreshToken: string }> {
  const { kind, owner, tables } = sessions;
  let issued: OwnedSession | undefined;
  return exchangeRefreshToken<OwnedSession>(
    {
      kind,
      async rotate(hash, next) {
        issued = await findSession(database, tables, hash);
        return (
          issued &&
          scopeOf(owner, database, issued).transaction((transaction) =>
            rotateToken(transaction, tables, hash, next),
          )
        );
      },
      find: async (hash, successorHash) =>
        issued && findTokenUse(scopeOf(owner, database, issued), tables, hash, successorHash),
      scope: database,
      async revoke(transaction, { sessionId, ownerId }) {
        await enterScope(transaction, `${owner}_id`, ownerId);
        return sessions.revokeSession(transaction, sessionId);
      },
      reuseOf: ({ sessionId, ownerId }) => ({
        action: 'refresh_token.reused',
        actor: { kind: owner, id: ownerId },
        origin,
        targetId: sessionId,
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
export async function logOutOwnedSession(
  { owner, tables, endSession }: OwnedSessions,
  { database, vault }: Services,
  token: string,
): Promise<void> {
  const session = await findSession(database, tables, vault.fingerprint(token));
  if (!session) throw new ProblemError('invalid_refresh_token');
  await scopeOf(owner, database, session).transaction((transaction) =>
    endSession(transaction, session.sessionId),
  );
}

/** A statement that waits for the lock of the session must be a transaction, so that those of one player take turns. */
function scopeOf(owner: OwnedSessions['owner'], database: Database, { ownerId }: OwnedSession): Scope {
  return owner === 'player' ? database.forPlayer(ownerId) : database.forAccount(ownerId);
}
