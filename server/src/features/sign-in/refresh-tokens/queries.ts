import type { Querier } from '../../../database/database.ts';
import { sql, type Sql } from '../../../database/sql.ts';
import type { StoredRefreshToken } from '../../../security/refresh-tokens.ts';
import type { TokenUse } from './refresh-token-exchange.ts';

/** The tables of sessions that belong to a player or to an account, and to no tenant. */
export interface SessionTables {
  sessions: Sql;
  tokens: Sql;
  /** The column of the owner in `sessions`. */
  ownerId: Sql;
  /** Whether the row `session` accepts its refresh tokens. */
  isAlive: Sql;
  /** The SQL function that finds a session without its scope. */
  findSession: Sql;
}

/** The player or the account of a session. */
export interface OwnedSession {
  sessionId: string;
  ownerId: string;
}

/** Finds the session of a refresh token, valid or not. Undefined if the token was never issued. */
export function findSession(
  db: Querier,
  tables: SessionTables,
  hash: Buffer,
): Promise<OwnedSession | undefined> {
  return db.row(sql`SELECT * FROM ${tables.findSession}(${hash})`);
}

const columns = ({ ownerId }: SessionTables) =>
  sql`session.id AS "sessionId", session.${ownerId} AS "ownerId"`;

const sessionOfToken = ({ sessions, tokens }: SessionTables, hash: Buffer) => sql`
    FROM ${tokens} token
    JOIN ${sessions} session ON session.id = token.session_id
    WHERE token.token_hash = ${hash}`;

/**
 * Exchanges a refresh token for the next one in one statement. Returns undefined if the token cannot be exchanged. The lock on the
 * session row serializes it with other uses of the token and with logout, so a second statement sees the token as used or the session
 * as revoked.
 */
export function rotateToken(
  db: Querier,
  tables: SessionTables,
  hash: Buffer,
  next: StoredRefreshToken,
): Promise<OwnedSession | undefined> {
  const { tokens, isAlive } = tables;
  return db.row(sql`
    WITH session AS MATERIALIZED (
      SELECT ${columns(tables)}, ${isAlive} AS alive ${sessionOfToken(tables, hash)}
      FOR NO KEY UPDATE OF session),
    used AS (
      UPDATE ${tokens} token SET used_at = clock_timestamp()
      FROM session
      WHERE session.alive AND token.token_hash = ${hash}
        AND token.used_at IS NULL AND token.expires_at > clock_timestamp()
      RETURNING session."sessionId", session."ownerId"),
    issued AS (
      INSERT INTO ${tokens} (token_hash, session_id, expires_at)
      SELECT ${next.hash}, "sessionId", ${next.expiresAt} FROM used)
    SELECT * FROM used`);
}

/** Reads a refresh token, and whether the successor that the request derives is stored. Undefined if the token was never issued. */
export function findTokenUse(
  db: Querier,
  tables: SessionTables,
  hash: Buffer,
  successorHash: Buffer,
): Promise<(OwnedSession & TokenUse) | undefined> {
  const { tokens, isAlive } = tables;
  return db.row(sql`
    SELECT ${columns(tables)}, ${isAlive} AS "isAlive",
           extract(epoch FROM clock_timestamp() - token.used_at)::float8 AS "usedSecondsAgo",
           EXISTS (SELECT FROM ${tokens} WHERE token_hash = ${successorHash} AND used_at IS NULL) AS "hasUnusedSuccessor"
    ${sessionOfToken(tables, hash)}`);
}
