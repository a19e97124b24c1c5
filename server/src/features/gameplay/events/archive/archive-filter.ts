import type { Querier } from '../../../../database/database.ts';
import { sql } from '../../../../database/sql.ts';
import { definitionCondition, type EventFilter } from '../event-filter.ts';

/** The ids of the definitions of a filter. If undefined, all definitions are selected. */
export async function selectDefinitions(
  db: Querier,
  tenantId: string,
  filter: EventFilter,
): Promise<string[] | undefined> {
  const condition = definitionCondition(tenantId, filter, sql`definition.id`);
  if (!condition) return undefined;
  const rows = await db.rows<{ id: string }>(
    sql`SELECT id FROM event_definitions definition WHERE tenant_id = ${tenantId} AND ${condition}`,
  );
  return rows.map(({ id }) => id);
}

/** The conditions of a filter besides its times. Adds their parameters to `values`. */
export function filterConditions(
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
