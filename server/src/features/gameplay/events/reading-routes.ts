import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { stringify } from 'csv-stringify/sync';
import { Type } from 'typebox';
import type { Database } from '../../../database/database.ts';
import type { Exports } from '../../../http/exports.ts';
import { Guid, problems } from '../../../http/schemas.ts';
import type { StoredEvent } from './queries.ts';
import { withNumber } from './event-json.ts';
import { checkFilter, exportEvents, readEvents, summariseEvents } from './read-events.ts';
import { EventPage, EventsQuery, EventSummary, ExportQuery, SummaryQuery } from './schemas.ts';

const Params = Type.Object({ tenantId: Guid });

/** Behind a dashboard account, or an API key that may read data. */
export function eventReadingRoutes({
  database,
  exports,
}: {
  database: Database;
  exports: Exports;
}): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/bus_tenants/:tenantId/events',
      {
        config: { role: 'viewer', usage: 'read' },
        schema: {
          operationId: 'listEvents',
          tags: ['Gameplay events'],
          summary: 'Read events back, newest first',
          params: Params,
          querystring: EventsQuery,
          response: { 200: EventPage, ...problems(503) },
        },
      },
      async (request, reply) => {
        const { limit, cursor, ...filter } = request.query;
        const page = await readEvents(database, request.params.tenantId, filter, { limit, cursor });
        // Not the schema's serialiser: it would write a 64-bit integer as a rounded number.
        return reply
          .type('application/json')
          .serializer(String)
          .send(JSON.stringify({ ...page, items: page.items.map(withNumber) }) as never);
      },
    );

    app.get(
      '/api/bus_tenants/:tenantId/events/export',
      {
        config: { role: 'viewer', usage: 'read' },
        schema: {
          operationId: 'exportEvents',
          tags: ['Gameplay events'],
          summary: 'Download events, oldest first',
          description:
            'Streams any number of events: one JSON object a line, or CSV with a header line. Four exports of a key or an ' +
            'account may run at once, and eight of a tenant.',
          params: Params,
          querystring: ExportQuery,
          response: {
            200: {
              description: 'The events.',
              content: {
                'application/x-ndjson': { schema: Type.String() },
                'text/csv': { schema: Type.String() },
              },
            },
            ...problems(429),
          },
        },
      },
      async (request, reply) => {
        const { format, ...filter } = request.query;
        const { tenantId } = request.params;
        checkFilter(tenantId, filter);
        const chunks = exportEvents(database, tenantId, filter);
        const csv = format === 'csv';
        const answer = exports.open(request, tenantId, csv ? asCsv(chunks, filter.scope) : asLines(chunks));
        return reply
          .type(csv ? 'text/csv; charset=utf-8' : 'application/x-ndjson')
          .header('content-disposition', `attachment; filename="${filter.scope}-events.${format}"`)
          .send(answer as never);
      },
    );

    app.get(
      '/api/bus_tenants/:tenantId/events/summary',
      {
        config: { role: 'viewer', usage: 'read' },
        schema: {
          operationId: 'summariseEvents',
          tags: ['Gameplay events'],
          summary: 'Count events by definition and time',
          description: 'Without `from` and `to`, the last 48 buckets.',
          params: Params,
          querystring: SummaryQuery,
          response: { 200: EventSummary, ...problems(503) },
        },
      },
      async (request) => {
        const { bucket, ...filter } = request.query;
        return summariseEvents(database, request.params.tenantId, filter, bucket);
      },
    );
  };
}

async function* asLines(chunks: AsyncGenerator<StoredEvent[]>): AsyncGenerator<string> {
  for await (const chunk of chunks)
    yield chunk.map((event) => `${JSON.stringify(withNumber(event))}\n`).join('');
}

const MATCH_COLUMNS = [
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

const CSV_COLUMNS = {
  match: MATCH_COLUMNS,
  player: MATCH_COLUMNS.filter((name) => !name.startsWith('match')),
};

/** CSV whose cells a spreadsheet does not take for formulas. */
async function* asCsv(
  chunks: AsyncGenerator<StoredEvent[]>,
  scope: 'match' | 'player',
): AsyncGenerator<string> {
  const columns = CSV_COLUMNS[scope];
  yield stringify([columns]);
  for await (const chunk of chunks) {
    yield stringify(
      chunk.map((event) => ({ ...event, value: event.value === null ? null : BigInt(event.value) })),
      { columns, escape_formulas: true },
    );
  }
}
