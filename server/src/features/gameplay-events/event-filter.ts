import { empty, join, sql, type Sql } from '../../database/sql.ts';
import { Problem } from '../../shared/problem.ts';
import { normaliseKey } from '../../shared/text.ts';
import { toMicroseconds } from '../../shared/timestamps.ts';
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

/** The condition of a filter on the alias `event`, for use after `WHERE`. Throws invalid_request where it cannot be met. */
export function conditionOf(tenantId: string, filter: EventFilter): Sql {
  const { scope, eventKey, eventValue, playerId, matchSessionId } = filter;
  if (matchSessionId !== undefined && scope === 'player') {
    throw new Problem('invalid_request', 'matchSessionId is allowed with scope=match only.');
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
  if (playerId !== undefined) {
    const isTheirs = sql`player_id = ANY(${[playerId].flat()}::uuid[])`;
    conditions.push(
      scope === 'player'
        ? sql`event.${isTheirs}`
        : sql`event.match_player_id IN (SELECT id FROM match_players WHERE tenant_id = ${tenantId} AND ${isTheirs})`,
    );
  }
  if (matchSessionId !== undefined) conditions.push(sql`event.match_session_id = ${matchSessionId}`);
  return join(conditions, ' AND ');
}
