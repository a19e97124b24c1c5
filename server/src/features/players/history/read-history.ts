import type { PlayerCaller } from '../../../core/callers.ts';
import type { Database } from '../../../database/database.ts';
import type { Vault } from '../../../security/vault.ts';
import { invalidField } from '../../../core/problem.ts';
import { toMicroseconds } from '../../../core/timestamps.ts';
import { readUnlessRevoked } from '../profiles/index.ts';
import { withPlatformName } from '../../sign-in/login/index.ts';
import { openLoginData, type LedgerPosition } from '../../sign-in/sessions/index.ts';
import { countLogins, selectLogins, type LoginRow } from './queries.ts';

export interface HistoryServices {
  database: Database;
  vault: Vault;
}

interface HistoryRequest {
  tenantId?: string | undefined;
  cursorTimestamp?: string | undefined;
  cursorId?: string | undefined;
  pageSize: number;
}

/** A login as its own player sees it. */
type PastSession = Omit<LoginRow, 'receivedAt' | 'keySalt' | 'personalData'> & {
  platformDisplayName: string;
  ipAddress: string | null;
};

interface HistoryPage {
  sessions: PastSession[];
  totalCount: number;
  pageSize: number;
  hasMore: boolean;
  nextCursorTimestamp: string | null;
  nextCursorId: string | null;
}

/**
 * A page of a player's logins, newest first. Rows after a returned position never change, so a client that follows the cursors gets
 * each login exactly once. Throws invalid_request if only one part of the cursor is sent, and invalid_bearer for a token of a revoked
 * session.
 */
export async function readHistory(
  { database, vault }: HistoryServices,
  caller: PlayerCaller,
  request: HistoryRequest,
): Promise<HistoryPage> {
  const { tenantId, pageSize } = request;
  const before = positionOf(request);
  const player = database.heavy.forPlayer(caller.playerId);
  const [found, totalCount] = await readUnlessRevoked(player, caller, (transaction) =>
    Promise.all([
      selectLogins(transaction, { tenantId, before, limit: pageSize + 1 }),
      countLogins(transaction, tenantId),
    ]),
  );
  const rows = found.slice(0, pageSize);
  const hasMore = found.length > pageSize;
  const last = hasMore ? rows.at(-1) : undefined;
  return {
    sessions: rows.map((row) => asPastSession(vault, row)),
    totalCount,
    pageSize,
    hasMore,
    nextCursorTimestamp: last?.receivedAt ?? null,
    nextCursorId: last?.id ?? null,
  };
}

function asPastSession(
  vault: Vault,
  { receivedAt: _, keySalt, personalData, ...login }: LoginRow,
): PastSession {
  const { ipAddress } = openLoginData(vault, { ...login, keySalt, personalData });
  return withPlatformName({ ...login, ipAddress });
}

function positionOf({ cursorTimestamp, cursorId }: HistoryRequest): LedgerPosition | undefined {
  if (cursorTimestamp === undefined && cursorId === undefined) return undefined;
  if (cursorTimestamp === undefined || cursorId === undefined)
    throw invalidField(
      cursorId === undefined ? 'cursorId' : 'cursorTimestamp',
      'is missing',
      'Send cursorTimestamp and cursorId together.',
    );
  // In UTC, because PostgreSQL rejects offsets of 16 hours and more.
  return { receivedAt: toMicroseconds(cursorTimestamp)!, id: cursorId };
}
