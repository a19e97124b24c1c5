import { hash } from 'node:crypto';
import type { EventScope } from './event-scope.ts';

/** What the rows of one batch have in common. */
export interface BatchOrigin {
  tenantId: string;
  /** When the server received it: in UTC with six fractional digits, as is occurredAt. */
  createdAt: string;
}

/** A row of match_events or player_events, but for its origin. */
export interface EventRow {
  id: string;
  /** match_player_id, or player_id. */
  actorId: string;
  /** Match events only. */
  matchSessionId: string | null;
  loginSessionId: string | null;
  definitionId: string;
  idempotencyKey: string;
  /** Decimal digits. */
  value: string | null;
  occurredAt: string;
}

/** The table of a scope. */
export const eventTables = { match: 'match_events', player: 'player_events' } as const satisfies Record<
  EventScope,
  string
>;

/**
 * The integrity hash of an event row as hexadecimal digits: SHA-256 over a JSON array of texts and nulls (docs/row-hashes.md).
 * The same bytes as shared/row-hash.ts would hash, spelt out because this runs once an event.
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

/** Identifiers and digits need no escapes. */
function quoted(text: string | null): string {
  return text === null ? 'null' : `"${text}"`;
}
