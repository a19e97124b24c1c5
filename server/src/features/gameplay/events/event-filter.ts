import { empty, join, sql, type Sql } from '../../../database/sql.ts';
import { ProblemError } from '../../../core/problem.ts';
import { normaliseKey } from '../../../core/text.ts';
import { toMicroseconds } from '../../../core/timestamps.ts';
import type { EventScope } from './event-scope.ts';

/** Which events to read. */
export interface EventFilter {
  scope: EventScope;
  from?: string | undefined;
  to?: string | undefined;
  eventKey?: string | undefined;
  eventValue?: string | undefined;
  /** One player, or the several profiles of one. */
  playerId?: string | string[] | undefined;
  matchSessionId?: string | undefined;
}

/** The place of an event in the order of time: its deduplication key. */
export interface EventPosition {
  occurredAt: string;
  idempotencyKey: string;
}

/**
 * The condition of a filter on the alias `event`, for use after `WHERE`, without the actors that it names. Throws invalid_request when
 * it cannot be met.
 */
export function conditionOf(tenantId: string, filter: EventFilter): Sql {
  const { scope, eventKey, eventValue, matchSessionId } = filter;
  if (matchSessionId !== undefined && scope === 'player') {
    throw new ProblemError('invalid_request', 'matchSessionId is allowed with scope=match only.');
  }
  const conditions: Sql[] = [sql`event.tenant_id = ${tenantId}`];
  if (filter.from !== undefined) conditions.push(sql`event.occurred_at >= ${toMicroseconds(filter.from)}`);
  if (filter.to !== undefined) conditions.push(sql`event.occurred_at < ${toMicroseconds(filter.to)}`);
  if (eventKey !== undefined || eventValue !== undefined) {
    const key = eventKey === undefined ? empty : sql`AND event_key = ${normaliseKey(eventKey)}`;
    const value = eventValue === undefined ? empty : sql`AND event_value = ${normaliseKey(eventValue)}`;
    conditions.push(sql`event.event_definitions_id IN (
      SELECT id FROM event_definitions WHERE tenant_id = ${tenantId} ${key} ${value})`);
  }
  return join(conditions, ' AND ');
}

/** Selects the actors of a filter that names a player or a match: the players, or their entries in rosters. */
export function actorsOf(
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
