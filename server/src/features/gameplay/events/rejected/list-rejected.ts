import { isGuid } from '../../../../core/ids.ts';
import { cursorPage, type CursorPage } from '../../../../core/page.ts';
import { rangeInUtc, type OpenRange } from '../../../../core/time-range.ts';
import type { Database } from '../../../../database/database.ts';
import { decodeCursor, encodeCursor, malformedCursor } from '../cursor.ts';
import type { RejectedEvents } from './collect-rejected.ts';
import { listRejectedGroups, type GroupPosition, type RejectedGroup } from './queries.ts';

export interface RejectedEventServices {
  database: Database;
  rejectedEvents: Pick<RejectedEvents, 'flush'>;
}

/**
 * Lists the groups of refused events of the last 8 days, the last seen first. With a range, the counts are those of the days in which
 * the group was seen in it. Throws `invalid_request` if the cursor is malformed.
 */
export async function listRejectedEvents(
  { database, rejectedEvents }: RejectedEventServices,
  tenantId: string,
  { limit, cursor, ...range }: OpenRange & { limit: number; cursor?: string | undefined },
): Promise<CursorPage<RejectedGroup>> {
  await rejectedEvents.flush();
  const found = await listRejectedGroups(database.forTenant(tenantId), tenantId, {
    ...rangeInUtc(range),
    after: cursor === undefined ? undefined : toPosition(cursor),
    limit: limit + 1,
  });
  return cursorPage(found, limit, ({ lastSeenAt, id }) => encodeCursor(lastSeenAt, id));
}

function toPosition(cursor: string): GroupPosition {
  const { time, text } = decodeCursor(cursor);
  if (!isGuid(text)) throw malformedCursor();
  return { lastSeenAt: time, id: text };
}
