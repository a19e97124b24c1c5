import { forEachInSlices, inSlices } from '../../../../core/concurrency/event-loop.ts';
import type { EventRow, EventScope } from '../event-row.ts';

/** The events of a batch that have the same definition and minute. */
interface Delta {
  minute: string;
  definitionId: string;
  events: number;
  values: number;
  sum: bigint;
  minimum: bigint;
  maximum: bigint;
}

/**
 * Returns the SQL text that counts the rows which its transaction stores (docs/decisions/0061-event-rollups.md). It has no parameters,
 * because a query text with COPY accepts none.
 */
export async function deltaText(scope: EventScope, tenantId: string, rows: EventRow[]): Promise<string> {
  const deltas = await countRows(tenantId, rows);
  const texts: string[][] = DELTA_COLUMNS.map(() => []);
  for await (const slice of inSlices(tenantId, deltas, DELTAS_PER_SLICE))
    for (const [index, { valueOf }] of DELTA_COLUMNS.entries())
      texts[index]!.push(slice.map(valueOf).join(','));
  const arrays = DELTA_COLUMNS.map(({ type }, index) => `'{${texts[index]!.join(',')}}'::${type}[]`);
  return (
    `INSERT INTO event_rollup_deltas (tenant_id, scope, ${DELTA_NAMES}) SELECT '${tenantId}', '${scope}', * FROM unnest(` +
    `${arrays.join(', ')})`
  );
}

/** Deltas that are written at once. They take 0.5 ms. */
const DELTAS_PER_SLICE = 500;

const ofValues = (valueOf: (delta: Delta) => bigint) => (delta: Delta) =>
  delta.values === 0 ? 'NULL' : valueOf(delta);

/** The columns of deltas, each of which is written as an array. */
const DELTA_COLUMNS: { name: string; type: string; valueOf: (delta: Delta) => string | number | bigint }[] = [
  { name: 'starts_at', type: 'timestamptz', valueOf: ({ minute }) => `${minute}:00Z` },
  { name: 'definition_id', type: 'uuid', valueOf: ({ definitionId }) => definitionId },
  { name: 'events', type: 'bigint', valueOf: ({ events }) => events },
  { name: 'value_count', type: 'bigint', valueOf: ({ values }) => values },
  { name: 'value_sum', type: 'numeric', valueOf: ofValues(({ sum }) => sum) },
  { name: 'value_minimum', type: 'bigint', valueOf: ofValues(({ minimum }) => minimum) },
  { name: 'value_maximum', type: 'bigint', valueOf: ofValues(({ maximum }) => maximum) },
];

const DELTA_NAMES = DELTA_COLUMNS.map(({ name }) => name).join(', ');

/** Rows that are counted at once. They take 0.3 ms. */
const ROWS_PER_SLICE = 1_000;

/** Counts rows by definition and minute. */
async function countRows(tenantId: string, rows: EventRow[]): Promise<Delta[]> {
  const deltas = new Map<string, Delta>();
  await forEachInSlices(tenantId, rows, ROWS_PER_SLICE, ({ occurredAt, definitionId, value: digits }) => {
    const minute = occurredAt.slice(0, 16);
    const key = minute + definitionId;
    let delta = deltas.get(key);
    if (!delta) {
      delta = { minute, definitionId, events: 0, values: 0, sum: 0n, minimum: 0n, maximum: 0n };
      deltas.set(key, delta);
    }
    delta.events++;
    if (digits === null) return;
    const value = BigInt(digits);
    if (delta.values === 0 || value < delta.minimum) delta.minimum = value;
    if (delta.values === 0 || value > delta.maximum) delta.maximum = value;
    delta.values++;
    delta.sum += value;
  });
  return [...deltas.values()];
}
