import { hash } from 'node:crypto';
import { raw, type Sql } from '../../../database/sql.ts';

/** Match events belong to a player in a match. Player events belong to a player only. */
export const EVENT_SCOPES = ['match', 'player'] as const;
export type EventScope = (typeof EVENT_SCOPES)[number];

/** The columns that all rows of a batch share. */
export interface BatchOrigin {
  tenantId: string;
  /** When the server received the batch: ISO 8601 in UTC with six fractional digits. */
  createdAt: string;
}

/** A row of `match_events` or `player_events`, without the shared columns. */
export interface EventRow {
  id: string;
  /** `match_player_id` of a match event, or `player_id` of a player event. */
  actorId: string;
  /** Null for a player event. */
  matchSessionId: string | null;
  loginSessionId: string | null;
  definitionId: string;
  idempotencyKey: string;
  /** A signed 64-bit integer as decimal digits. */
  value: string | null;
  /** ISO 8601 in UTC with six fractional digits. */
  occurredAt: string;
}

/** A stored row with its hash. The times that PostgreSQL returns need `hashedInstant`. */
export interface HashedEventRow extends EventRow {
  createdAt: string;
  rowHash: string;
}

export const eventTables = { match: 'match_events', player: 'player_events' } as const satisfies Record<
  EventScope,
  string
>;

/** The name of the table as a part of a statement. */
export const eventTableSql: Record<EventScope, Sql> = {
  match: raw(eventTables.match),
  player: raw(eventTables.player),
};

/**
 * Computes the integrity hash of an event row, in hexadecimal: SHA-256 over a JSON array of strings and nulls (see
 * docs/row-hashes.md). The function builds the canonical JSON by hand because it runs for each event.
 */
export function eventRowHash(scope: EventScope, { tenantId, createdAt }: BatchOrigin, row: EventRow): string {
  const match = scope === 'match' ? `"${row.matchSessionId}",` : '';
  return hash(
    'sha256',
    `["${eventTables[scope]}","${tenantId}","${row.id}","${row.actorId}",${match}${quoted(row.loginSessionId)},` +
      `"${row.definitionId}",${JSON.stringify(row.idempotencyKey)},${quoted(row.value)},"${row.occurredAt}","${createdAt}"]`,
    'hex',
  );
}

/** Quotes a UUID or digits, which need no escapes. */
function quoted(text: string | null): string {
  return text === null ? 'null' : `"${text}"`;
}
