import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type, type Static } from 'typebox';
import type { Exports } from '../../../../http/exports.ts';
import { problems, TenantPath } from '../../../../http/schemas.ts';
import { sendExact } from '../../../../http/send-exact.ts';
import { requireConsistent, type EventFilter } from '../event-filter.ts';
import type { EventSources } from '../event-sources.ts';
import { withExactValue } from './exact-json.ts';
import { exportEvents } from './export-events.ts';
import { listEvents } from './list-events.ts';
import {
  StoredEventPage,
  EventsQuery,
  EventSummary,
  ExportQuery,
  SummaryQuery,
  type EventFilterQuery,
} from './schemas.ts';
import { toCsv, toNdjson } from './serialise-events.ts';
import { MAX_SUMMARY_ROWS, summariseEvents } from './summarise-events.ts';

/** Authenticated by a console account, or by an API key with `allowDataApi`. */
export function eventReadingRoutes(services: EventSources & { exports: Exports }): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/bus_tenants/:tenantId/events',
      {
        config: { role: 'viewer', usage: 'read' },
        schema: {
          operationId: 'listEvents',
          tags: ['Gameplay events'],
          summary: 'List gameplay events',
          description:
            'Returns the stored events of a tenant, newest first, in pages. Pass `nextCursor` as `cursor` to read the next page. ' +
            'Archived events are included. If few of many events match the filter, a page ends after 3 seconds, so it may have fewer ' +
            'events than `limit`, or none, while `hasMore` is true. To read many events, use the export instead.',
          params: TenantPath,
          querystring: EventsQuery,
          response: { 200: StoredEventPage, ...problems(503) },
        },
      },
      async (request, reply) => {
        const { limit, cursor, ...query } = request.query;
        const page = await listEvents(services, request.params.tenantId, toFilter(query), { limit, cursor });
        return sendExact(reply, { ...page, items: page.items.map(withExactValue) });
      },
    );

    app.get(
      '/api/bus_tenants/:tenantId/events/export',
      {
        config: { role: 'viewer', usage: 'read', cost: 30 },
        schema: {
          operationId: 'exportEvents',
          tags: ['Gameplay events'],
          summary: 'Export gameplay events',
          description:
            'Streams all events that match the filter, oldest first: one JSON object per line, or CSV with a header line. At ' +
            'most four exports per key or account and eight per tenant run at the same time. Archived events are included.',
          params: TenantPath,
          querystring: ExportQuery,
          response: {
            200: {
              description: 'The events, one per line.',
              content: {
                'application/x-ndjson': { schema: Type.String() },
                'text/csv': { schema: Type.String() },
              },
            },
            ...problems(503),
          },
        },
      },
      async (request, reply) => {
        const { format, ...query } = request.query;
        const { tenantId } = request.params;
        const filter = toFilter(query);
        const chunks = exportEvents(services, tenantId, filter);
        const csv = format === 'csv';
        const stream = await services.exports.open(
          request,
          tenantId,
          csv ? toCsv(chunks, filter.scope) : toNdjson(chunks),
        );
        return reply
          .type(csv ? 'text/csv; charset=utf-8' : 'application/x-ndjson')
          .header('content-disposition', `attachment; filename="${filter.scope}-events.${format}"`)
          .send(stream as never);
      },
    );

    app.get(
      '/api/bus_tenants/:tenantId/events/summary',
      {
        config: { role: 'viewer', usage: 'read' },
        schema: {
          operationId: 'getEventSummary',
          tags: ['Gameplay events'],
          summary: 'Count events by definition and time',
          description:
            'Counts the events of each definition in each time bucket, archived events included. The default range is the last 48 ' +
            'buckets up to now. Events may be dated up to 48 hours ahead of the clock: to count them, send a later `to`. A range has ' +
            'at most 1,500 buckets, and `from` is earlier than `to`. With `groupBy=time`, a row counts all events of a bucket. ' +
            'With `groupBy=eventKey&top=5`, the answer has the five most frequent keys.',
          params: TenantPath,
          querystring: SummaryQuery,
          response: { 200: EventSummary, ...problems(503) },
        },
      },
      async (request) => {
        const { bucket, groupBy, top = MAX_SUMMARY_ROWS, ...query } = request.query;
        return summariseEvents(services, request.params.tenantId, toFilter(query), {
          bucket,
          groupBy,
          top,
        });
      },
    );
  };
}

/**
 * The filter of a query string, which has at most one key, value and player. Throws `invalid_request` if it contradicts itself, before an
 * export takes a place.
 */
function toFilter({
  eventKey,
  eventValue,
  playerId,
  ...query
}: Static<typeof EventFilterQuery>): EventFilter {
  const filter: EventFilter = {
    ...query,
    ...(eventKey !== undefined && { eventKeys: [eventKey] }),
    ...(eventValue !== undefined && { eventValues: [eventValue] }),
    ...(playerId !== undefined && { playerIds: [playerId] }),
  };
  requireConsistent(filter);
  return filter;
}
