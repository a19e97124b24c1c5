import type { EventScope } from '../../event-row.ts';

/** A column of a part: its name, its type as DuckDB calls it, and the SQL of PostgreSQL that exports it. */
export interface Column {
  name: string;
  type: 'TIMESTAMPTZ' | 'UUID' | 'VARCHAR' | 'BIGINT' | 'BLOB';
  source: string;
}

const ofMatch = (scope: EventScope, column: Column): Column[] => (scope === 'match' ? [column] : []);

/** The columns that queries read. Key and value of the definition are those from the time of archiving. */
export const eventColumns = (scope: EventScope): Column[] => [
  { name: 'occurred_at', type: 'TIMESTAMPTZ', source: 'event.occurred_at' },
  { name: 'event_definition_id', type: 'UUID', source: 'event.event_definitions_id' },
  { name: 'event_key', type: 'VARCHAR', source: 'definition.event_key' },
  { name: 'event_value', type: 'VARCHAR', source: 'definition.event_value' },
  { name: 'player_id', type: 'UUID', source: scope === 'match' ? 'roster.player_id' : 'event.player_id' },
  ...ofMatch(scope, { name: 'match_session_id', type: 'UUID', source: 'event.match_session_id' }),
  { name: 'value', type: 'BIGINT', source: 'event.value' },
];

/** The name of an event, and what else its row hash covers. Both files have their rows in the same order. */
export const proofColumns = (scope: EventScope): Column[] => [
  { name: 'occurred_at', type: 'TIMESTAMPTZ', source: 'event.occurred_at' },
  { name: 'idempotency_key', type: 'VARCHAR', source: 'event.idempotency_key' },
  { name: 'id', type: 'UUID', source: 'event.id' },
  ...ofMatch(scope, { name: 'match_player_id', type: 'UUID', source: 'event.match_player_id' }),
  { name: 'login_session_id', type: 'UUID', source: 'event.login_session_id' },
  { name: 'created_at_gl', type: 'TIMESTAMPTZ', source: 'event.created_at_gl' },
  { name: 'row_hash', type: 'BLOB', source: "encode(event.row_hash, 'hex')" },
];
