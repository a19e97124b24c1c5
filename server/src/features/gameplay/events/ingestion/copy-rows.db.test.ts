import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { runCopy } from '../../../../database/copy.ts';
import { startTestApp } from '../../../../testing/test-app.ts';
import { copyRows, copyStatement } from './copy-rows.ts';
import { eventRowHash, eventTables, type BatchOrigin, type EventRow, type EventScope } from '../event-row.ts';

const app = await startTestApp();

const uuid = fc.uuid();
const fraction = fc.integer({ min: 0, max: 999_999 }).map((micros) => String(micros).padStart(6, '0'));
const occurredAt = fc
  .tuple(fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }), fraction)
  .map(([date, micros]) => `${date.toISOString().slice(0, 19)}.${micros}Z`);
const idempotencyKey = fc
  .string({ minLength: 1, maxLength: 64, unit: 'grapheme' })
  .map((text) => [...text].slice(0, 64).join(''))
  .filter((text) => !text.includes('\0'));
const value = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.constantFrom(
    0n,
    -1n,
    2n ** 32n,
    -(2n ** 32n) - 1n,
    2n ** 53n,
    -(2n ** 53n),
    -(2n ** 63n),
    2n ** 63n - 1n,
  ),
);

function rowOf(scope: EventScope): fc.Arbitrary<EventRow> {
  return fc.record({
    id: uuid,
    actorId: uuid,
    matchSessionId: scope === 'match' ? uuid : fc.constant(null),
    loginSessionId: fc.option(uuid),
    definitionId: uuid,
    idempotencyKey,
    value: fc.option(value.map(String)),
    occurredAt,
  });
}

/** Copies rows into the table of events, and returns what PostgreSQL has stored. */
async function copyAndRead(scope: EventScope, origin: BatchOrigin, rows: EventRow[]): Promise<unknown[]> {
  const client = await app.owner.connect();
  try {
    await client.query('BEGIN');
    await runCopy(client, copyStatement(scope), copyRows(scope, origin, rows));
    const iso = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
    const ids =
      scope === 'match'
        ? 'match_player_id AS actor, match_session_id AS match'
        : 'player_id AS actor, NULL AS match';
    const stored = await client.query(
      `SELECT ${iso('created_at_gl')} AS created, tenant_id::text AS tenant, ${iso('occurred_at')} AS occurred, value::text,
              id, ${ids}, login_session_id AS login, event_definitions_id AS definition, idempotency_key AS key,
              encode(row_hash, 'hex') AS hash
       FROM ${eventTables[scope]} WHERE tenant_id = $1`,
      [origin.tenantId],
    );
    return stored.rows;
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

describe('copyRows', () => {
  for (const scope of ['match', 'player'] as const)
    test(`stores every field of ${scope} events exactly, over several chunks`, async () => {
      const origin = { tenantId: randomUUID(), createdAt: '2026-02-28T23:59:59.001000Z' };
      const keyOf = (row: EventRow) => `${row.occurredAt} ${row.idempotencyKey}`;
      const rows = fc.uniqueArray(rowOf(scope), { minLength: 1_000, maxLength: 1_000, selector: keyOf });
      for (const sample of fc.sample(rows, { numRuns: 2, seed: 7 })) {
        const expected = sample.map((row) => ({
          created: origin.createdAt,
          tenant: origin.tenantId,
          occurred: row.occurredAt,
          value: row.value,
          id: row.id,
          actor: row.actorId,
          match: row.matchSessionId,
          login: row.loginSessionId,
          definition: row.definitionId,
          key: row.idempotencyKey,
          hash: eventRowHash(scope, origin, row),
        }));
        const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
        const stored = (await copyAndRead(scope, origin, sample)) as typeof expected;
        assert.deepEqual(stored.toSorted(byId), expected.toSorted(byId));
      }
    });
});
