import type { Querier } from '../../../database/database.ts';
import { empty, join, sql, type Sql } from '../../../database/sql.ts';
import { invalidField } from '../../../core/problem.ts';
import { normaliseKey } from '../../../core/text.ts';
import { toMicroseconds } from '../../../core/timestamps.ts';
import { findProfilesOf } from '../../players/merged-profiles/index.ts';
import type { EventScope } from './event-row.ts';

/** Selects the events to read. */
export interface EventFilter {
  scope: EventScope;
  from?: string | undefined;
  to?: string | undefined;
  /** An event matches if it has one of them. */
  eventKeys?: string[] | undefined;
  eventValues?: string[] | undefined;
  eventCategories?: string[] | undefined;
  minimumValue?: number | undefined;
  maximumValue?: number | undefined;
  playerIds?: string[] | undefined;
  matchSessionId?: string | undefined;
}

/** Adds the merged profiles of the players of a filter, because events keep the id under which they were sent. */
export async function withMergedProfiles<Filter extends EventFilter>(
  db: Querier,
  tenantId: string,
  filter: Filter,
): Promise<Filter> {
  if (filter.playerIds === undefined) return filter;
  return { ...filter, playerIds: await findProfilesOf(db, tenantId, filter.playerIds) };
}

/** The IDs of the definitions of a filter. If undefined, all definitions are selected. */
export async function selectDefinitions(
  db: Querier,
  tenantId: string,
  filter: EventFilter,
): Promise<string[] | undefined> {
  const definitions = filterDefinitions(tenantId, filter);
  if (!definitions) return undefined;
  const rows = await db.rows<{ id: string }>(definitions);
  return rows.map(({ id }) => id);
}

/** Throws `invalid_request` if a filter contradicts itself. */
export function requireConsistent({ scope, matchSessionId }: EventFilter): void {
  if (matchSessionId !== undefined && scope === 'player')
    throw invalidField('matchSessionId', 'requires scope=match');
}

/** Returns the condition of a filter for PostgreSQL, on the alias `event`, without the actors. */
export function postgresCondition(tenantId: string, filter: EventFilter): Sql {
  const { from, to, minimumValue, maximumValue } = filter;
  const conditions: Sql[] = [sql`event.tenant_id = ${tenantId}`];
  if (from !== undefined) conditions.push(sql`event.occurred_at >= ${toMicroseconds(from)}`);
  if (to !== undefined) conditions.push(sql`event.occurred_at < ${toMicroseconds(to)}`);
  if (minimumValue !== undefined) conditions.push(sql`event.value >= ${minimumValue}`);
  if (maximumValue !== undefined) conditions.push(sql`event.value <= ${maximumValue}`);
  const definitions = filterDefinitions(tenantId, filter);
  if (definitions) conditions.push(isOneOfDefinitions(sql`event.event_definitions_id`, definitions));
  return join(conditions, ' AND ');
}

/**
 * Returns the condition that a query for the IDs of definitions has an ID. An array, because the planner could turn IN into a join.
 * PostgreSQL evaluates EXISTS once, before it reads rows. Otherwise it would read all events for a key that no definition has.
 */
export const isOneOfDefinitions = (definitionId: Sql, definitions: Sql): Sql =>
  sql`EXISTS (${definitions}) AND ${definitionId} = ANY (ARRAY(${definitions}))`;

/** Returns a query for the IDs of the definitions of a filter, or undefined if the filter selects all definitions. */
export function filterDefinitions(
  tenantId: string,
  { eventKeys, eventValues, eventCategories }: EventFilter,
): Sql | undefined {
  if ([eventKeys, eventValues, eventCategories].every((texts) => texts === undefined)) return undefined;
  const isOneOf = (column: Sql, texts: string[] | undefined, normalise = normaliseKey): Sql => {
    if (texts === undefined) return empty;
    const [first, ...others] = texts.map(normalise);
    // The planner knows how few rows one key has. For an array it would read all definitions.
    return others.length === 0
      ? sql`AND ${column} = ${first}`
      : sql`AND ${column} = ANY (${[first, ...others]})`;
  };
  const key = isOneOf(sql`event_key`, eventKeys);
  const value = isOneOf(sql`event_value`, eventValues);
  const category = isOneOf(sql`event_category`, eventCategories, (text) => text.trim());
  return sql`SELECT id FROM event_definitions WHERE tenant_id = ${tenantId} ${key} ${value} ${category}`;
}

/**
 * Returns a query for the IDs of the players (player events) or match players (match events) of a filter. Returns undefined
 * if the filter names neither a player nor a match.
 */
export function filterActors(
  tenantId: string,
  { scope, playerIds, matchSessionId }: EventFilter,
): Sql | undefined {
  if (playerIds === undefined && matchSessionId === undefined) return undefined;
  const players = sql`${playerIds ?? []}::uuid[]`;
  if (scope === 'player') return sql`SELECT unnest(${players}) AS id`;
  const ofMatch = matchSessionId === undefined ? empty : sql`AND match_session_id = ${matchSessionId}`;
  if (playerIds === undefined)
    return sql`SELECT id FROM match_players WHERE tenant_id = ${tenantId} ${ofMatch}`;
  // One look-up for each player. For an array, PostgreSQL 15 and 16 may read all match players of the tenant.
  return sql`
    SELECT entry.id FROM unnest(${players}) AS wanted (player_id)
    CROSS JOIN LATERAL (
      SELECT id FROM match_players WHERE tenant_id = ${tenantId} AND player_id = wanted.player_id ${ofMatch} OFFSET 0) entry`;
}
