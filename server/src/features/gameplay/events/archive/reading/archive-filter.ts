import type { EventFilter } from '../../event-filter.ts';

/** The conditions of a filter for DuckDB, besides its times. Adds their parameters to `values`. */
export function duckdbConditions(
  { playerIds, matchSessionId, minimumValue, maximumValue }: EventFilter,
  definitions: string[] | undefined,
  values: (string | string[])[],
): string[] {
  const parameter = (value: string | string[]): string => `$${values.push(value)}`;
  const isOneOf = (column: string, ids: string[]): string =>
    `${column} IN (SELECT unnest(${parameter(ids)}::VARCHAR[]::UUID[]))`;
  return [
    ...(definitions ? [isOneOf('event_definition_id', definitions)] : []),
    ...(playerIds === undefined ? [] : [isOneOf('player_id', playerIds)]),
    ...(matchSessionId === undefined ? [] : [isOneOf('match_session_id', [matchSessionId])]),
    ...(minimumValue === undefined ? [] : [`value >= ${parameter(String(minimumValue))}::BIGINT`]),
    ...(maximumValue === undefined ? [] : [`value <= ${parameter(String(maximumValue))}::BIGINT`]),
  ];
}
