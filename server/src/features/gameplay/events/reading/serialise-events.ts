import { stringify } from 'csv-stringify/sync';
import { protectCell } from '../../event-definitions/index.ts';
import type { EventScope } from '../event-row.ts';
import { withExactValue } from './exact-json.ts';
import type { StoredEvent } from './queries.ts';

/** Serialises events as one JSON object per line. */
export async function* toNdjson(chunks: AsyncGenerator<StoredEvent[]>): AsyncGenerator<string> {
  for await (const chunk of chunks)
    yield chunk.map((event) => `${JSON.stringify(withExactValue(event))}\n`).join('');
}

const MATCH_COLUMNS: (keyof StoredEvent)[] = [
  'eventRecordId',
  'eventDefinitionId',
  'eventKey',
  'eventValue',
  'matchSessionId',
  'matchPlayerId',
  'playerId',
  'loginSessionId',
  'idempotencyKey',
  'value',
  'occurredAt',
  'receivedAt',
  'rowHash',
];

const CSV_COLUMNS: Record<EventScope, string[]> = {
  match: MATCH_COLUMNS,
  player: MATCH_COLUMNS.filter((name) => !name.startsWith('match')),
};

/** Serialises events as CSV, and escapes cells that a spreadsheet would run as formulas. */
export async function* toCsv(
  chunks: AsyncGenerator<StoredEvent[]>,
  scope: EventScope,
): AsyncGenerator<string> {
  const columns = CSV_COLUMNS[scope];
  let header = stringify([columns]);
  for await (const chunk of chunks) {
    const rows = stringify(
      chunk.map((event) => ({
        ...event,
        eventKey: protectCell(event.eventKey),
        eventValue: event.eventValue === null ? null : protectCell(event.eventValue),
        idempotencyKey: protectCell(event.idempotencyKey),
        value: event.value === null ? null : BigInt(event.value),
      })),
      { columns },
    );
    yield header + rows;
    header = '';
  }
  // A file without events has a header, too.
  yield header;
}
