import type { Database } from '../../../database/database.ts';
import { ProblemError } from '../../../core/problem.ts';
import { toMicroseconds } from '../../../core/timestamps.ts';
import { platformDisplayName } from '../../sign-in/login/index.ts';
import { countLogins, selectLogins, type LoginPosition, type LoginRow } from './queries.ts';

export interface HistoryRequest {
  tenantId?: string | undefined;
  cursorTimestamp?: string | undefined;
  cursorId?: string | undefined;
  pageSize: number;
}

/** A login as its player sees it. */
export type PastSession = Omit<LoginRow, 'receivedAt'> & { platformDisplayName: string };

export interface HistoryPage {
  sessions: PastSession[];
  totalCount: number;
  pageSize: number;
  hasMore: boolean;
  nextCursorTimestamp: string | null;
  nextCursorId: string | null;
}

/**
 * A page of a player's logins, newest first. Everything below a position that was once shown is there from then on, and
 * stays: who follows the cursors misses nothing and sees nothing twice. Throws invalid_request for half a cursor.
 */
export async function readHistory(
  database: Database,
  playerId: string,
  request: HistoryRequest,
): Promise<HistoryPage> {
  const { tenantId, pageSize } = request;
  const before = positionOf(request);
  const [found, totalCount] = await database.heavy
    .forPlayer(playerId)
    .transaction((transaction) =>
      Promise.all([
        selectLogins(transaction, { tenantId, before, limit: pageSize + 1 }),
        countLogins(transaction, tenantId),
      ]),
    );
  const rows = found.slice(0, pageSize);
  const hasMore = found.length > pageSize;
  const last = hasMore ? rows.at(-1) : undefined;
  return {
    sessions: rows.map(({ receivedAt: _, ...login }) => ({
      ...login,
      platformDisplayName: platformDisplayName(login.platform),
    })),
    totalCount,
    pageSize,
    hasMore,
    nextCursorTimestamp: last?.receivedAt ?? null,
    nextCursorId: last?.id ?? null,
  };
}

function positionOf({ cursorTimestamp, cursorId }: HistoryRequest): LoginPosition | undefined {
  if (cursorTimestamp === undefined && cursorId === undefined) return undefined;
  if (cursorTimestamp === undefined || cursorId === undefined)
    throw new ProblemError('invalid_request', 'Send cursorTimestamp and cursorId together.');
  // In UTC, for PostgreSQL refuses offsets of 16 hours and more.
  return { receivedAt: toMicroseconds(cursorTimestamp)!, id: cursorId };
}
