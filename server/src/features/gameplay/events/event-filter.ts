import { empty, join, sql, type Sql } from '../../../database/sql.ts';
import { ProblemError } from '../../../core/problem.ts';
import { normaliseKey } from '../../../core/text.ts';
import { toMicroseconds } from '../../../core/timestamps.ts';
import type { EventScope } from './event-row.ts';

/** Selects the events to read. */
export interface EventFilter {
  scope: EventScope;
  from?: string | undefined;
  to?: string | undefined;
  eventKey?: string | undefined;
  eventValue?: string | undefined;
  /** One player ID, or the IDs of all profiles of one player. */
  playerId?: string | string[] | undefined;
  matchSessionId?: string | undefined;
}

/** The deduplication key of an event. It also defines the order by time. */
export interface EventPosition {
  occurredAt: string;
  idempotencyKey: string;
}

/**
 * Returns the SQL condition of a filter on the alias `event`, without the actors. Throws `invalid_request` if the filter
 * contradicts itself.
 */
export function filterCondition(tenantId: string, filter: EventFilter): Sql {
  const { scope, eventKey, eventValue, matchSessionId } = filter;
  if (matchSessionId !== undefined && scope === 'player') {
    throw new ProblemError('invalid_request', 'matchSessionId requires scope=match.');
  }
  const conditions: Sql[] = [sql`event.tenant_id = ${tenantId}`];
  if (filter.from !== undefined) conditions.push(sql`event.occurred_at >= ${toMicroseconds(filter.from)}`);
  if (filter.to !== undefined) conditions.push(sql`event.occurred_at < ${toMicroseconds(filter.to)}`);
  if (eventKey !== undefined || eventValue !== undefined) {
    const key = eventKey === undefined ? empty : sql`AND event_key = ${normaliseKey(eventKey)}`;
    const value = eventValue === undefined ? empty : sql`AND event_value = ${normaliseKey(eventValue)}`;
    // An array, because the planner could turn IN into a join.
    conditions.push(sql`event.event_definitions_id = ANY (ARRAY(
      SELECT id FROM event_definitions WHERE tenant_id = ${tenantId} ${key} ${value}))`);
  }
  return join(conditions, ' AND ');
}

/**
 * Returns a query for the IDs of the players (player events) or match players (match events) of a filter. Returns undefined
 * if the filter names neither a player nor a match.
 */
export function filterActors(
  tenantId: string,
  { scope, playerId, matchSessionId }: EventFilter,
): Sql | undefined {
  if (playerId === undefined && matchSessionId === undefined) return undefined;
  const players = sql`${[playerId ?? []].flat()}::uuid[]`;
  if (scope === 'player') return sql`SELECT unnest(${players}) AS id`;
  const ofPlayer = playerId === undefined ? empty : sql`AND player_id = ANY(${players})`;
  const ofMatch = matchSessionId === undefined ? empty : sql`AND match_session_id = ${matchSessionId}`;
  return sql`SELECT id FROM match_players WHERE tenant_id = ${tenantId} ${ofPlayer} ${ofMatch}`;
}
