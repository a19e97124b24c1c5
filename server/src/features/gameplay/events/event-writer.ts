import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import {
  chargeText,
  isDeadlock,
  isQuotaExceeded,
  isUniqueViolation,
  openPool,
  type Database,
} from '../../../database/database.ts';
import { sql } from '../../../database/sql.ts';
import type { BillingContext } from '../../../core/billing-context.ts';
import { eventRowHash, type BatchOrigin, type EventRow } from './event-row.ts';
import type { EventScope } from './event-scope.ts';

/** Stores events. */
export interface EventWriter {
  /**
   * Stores the rows that are not stored yet, durably, charges a unit for each, and returns the ids of those that this call
   * added.
   */
  write(
    scope: EventScope,
    origin: BatchOrigin,
    rows: EventRow[],
    billing: BillingContext,
  ): Promise<Set<string> | 'all'>;
  close(): Promise<void>;
}

/**
 * COPY takes two round trips and a connection of its own role; below this many rows one INSERT is quicker.
 */
const COPY_FROM = 20;

/** Connections that COPY: more than two cores' worth only queue in PostgreSQL. */
const COPY_CONNECTIONS = 6;

/**
 * Opens the writer. Batches go in by COPY, which is a third faster than INSERT and knows no ON CONFLICT: where a row is
 * stored already, PostgreSQL refuses the batch, and it goes in by INSERT instead. Without the right to COPY past row-level
 * security (migration 0001) all of them do.
 */
export async function openEventWriter(database: Database, databaseUrl: string): Promise<EventWriter> {
  const pool = openPool(databaseUrl, 'guildhall_event_writer', {
    poolSize: COPY_CONNECTIONS,
    pipeline: false,
    work: 'events',
  });
  const role = await database.row<{ canCopy: boolean }>(
    sql`SELECT rolbypassrls AS "canCopy" FROM pg_roles WHERE rolname = 'guildhall_event_writer'`,
  );
  const canCopy = role?.canCopy ?? false;

  return {
    async write(scope, origin, rows, billing) {
      if (canCopy && rows.length >= COPY_FROM) {
        try {
          await copyRows(pool, scope, origin, rows, billing);
          billing.chargedTransactions++;
          return 'all';
        } catch (error) {
          if (!isUniqueViolation(error) && !isDeadlock(error)) throw error;
        }
      }
      const inserted = await insertRows(database, scope, origin, rows, billing);
      if (inserted.size > 0) billing.chargedTransactions++;
      return inserted;
    },
    close: () => pool.end(),
  };
}

const COLUMNS = {
  match:
    'occurred_at, created_at_gl, value, tenant_id, id, match_player_id, match_session_id, login_session_id, event_definitions_id, idempotency_key, row_hash',
  player:
    'occurred_at, created_at_gl, value, tenant_id, id, player_id, login_session_id, event_definitions_id, idempotency_key, row_hash',
};

async function copyRows(
  pool: pg.Pool,
  scope: EventScope,
  origin: BatchOrigin,
  rows: EventRow[],
  billing: BillingContext,
): Promise<void> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    // One text is one transaction: it commits the rows with their charge, or neither.
    const text = `COPY ${scope}_events (${COLUMNS[scope]}) FROM STDIN; ${chargeText(billing, rows.length)}`;
    const copy = client.query(copyFrom(text));
    await pipeline(copyText(scope, origin, rows), copy);
  } catch (error) {
    // A refusal leaves the connection usable; anything else may not.
    const refused = isUniqueViolation(error) || isDeadlock(error) || isQuotaExceeded(error);
    if (!refused) broken = error as Error;
    throw error;
  } finally {
    client.release(broken);
  }
}

/**
 * Characters of text handed to the connection at a time: PostgreSQL works on one piece while the next is made, and the
 * pieces die young, where a whole batch of 4 MB would wait for the old generation to be collected.
 */
const PIECE = 64 * 1024;

/** The rows in COPY's text format: tabs between the columns, \N for null. Only the idempotency key may need escapes. */
function* copyText(scope: EventScope, origin: BatchOrigin, rows: EventRow[]): Generator<Buffer> {
  let text = '';
  for (const row of rows) {
    const match = scope === 'match' ? `${row.matchSessionId}\t` : '';
    text +=
      `${row.occurredAt}\t${origin.createdAt}\t${row.value ?? '\\N'}\t${origin.tenantId}\t${row.id}\t${row.actorId}\t${match}` +
      `${row.loginSessionId ?? '\\N'}\t${row.definitionId}\t${escaped(row.idempotencyKey)}\t\\\\x${eventRowHash(scope, origin, row)}\n`;
    if (text.length >= PIECE) {
      yield Buffer.from(text);
      text = '';
    }
  }
  if (text !== '') yield Buffer.from(text);
}

function escaped(text: string): string {
  if (!/[\\\t\n\r]/.test(text)) return text;
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll('\t', '\\t')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r');
}

async function insertRows(
  database: Database,
  scope: EventScope,
  origin: BatchOrigin,
  rows: EventRow[],
  { workspaceId, keyId }: BillingContext,
): Promise<Set<string>> {
  const { tenantId, createdAt } = origin;
  const column = <Key extends keyof EventRow>(key: Key) => rows.map((row) => row[key]);
  const hashes = rows.map((row) => `\\x${eventRowHash(scope, origin, row)}`);
  const insertion =
    scope === 'match'
      ? sql`
    INSERT INTO match_events (occurred_at, created_at_gl, value, tenant_id, id, match_player_id, match_session_id,
                              login_session_id, event_definitions_id, idempotency_key, row_hash)
    SELECT occurred_at, ${createdAt}::timestamptz, value, ${tenantId}::uuid, id, actor, match, login, definition, idempotency_key, row_hash
    FROM unnest(${column('occurredAt')}::timestamptz[], ${column('value')}::bigint[],
                ${column('id')}::uuid[], ${column('actorId')}::uuid[], ${column('matchSessionId')}::uuid[],
                ${column('loginSessionId')}::uuid[], ${column('definitionId')}::uuid[], ${column('idempotencyKey')}::text[],
                ${hashes}::bytea[])
      AS event (occurred_at, value, id, actor, match, login, definition, idempotency_key, row_hash)
    ON CONFLICT DO NOTHING
    RETURNING id`
      : sql`
    INSERT INTO player_events (occurred_at, created_at_gl, value, tenant_id, id, player_id, login_session_id,
                               event_definitions_id, idempotency_key, row_hash)
    SELECT occurred_at, ${createdAt}::timestamptz, value, ${tenantId}::uuid, id, actor, login, definition, idempotency_key, row_hash
    FROM unnest(${column('occurredAt')}::timestamptz[], ${column('value')}::bigint[],
                ${column('id')}::uuid[], ${column('actorId')}::uuid[], ${column('loginSessionId')}::uuid[],
                ${column('definitionId')}::uuid[], ${column('idempotencyKey')}::text[], ${hashes}::bytea[])
      AS event (occurred_at, value, id, actor, login, definition, idempotency_key, row_hash)
    ON CONFLICT DO NOTHING
    RETURNING id`;
  // Charged for what was inserted in the end, in the same statement.
  const inserted = await database.forTenant(tenantId).row<{ ids: string[] }>(sql`
    WITH inserted AS (${insertion})
    SELECT coalesce(array_agg(id), '{}') AS ids, guildhall_charge(${workspaceId}, ${tenantId}, ${keyId}, count(*))
    FROM inserted`);
  return new Set(inserted?.ids);
}
