import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { abortSignalOf } from '../../../../http/abort-signal.ts';
import { QUERY_BODY_LIMIT } from '../../../../http/bodies/body-limits.ts';
import { problems, TenantPath } from '../../../../http/schemas.ts';
import { sendExact } from '../../../../http/send-exact.ts';
import type { EventSources } from '../event-sources.ts';
import { exactNumber } from './exact-json.ts';
import { queryEvents, QUERY_SECONDS } from './query-events.ts';
import { EventQueryAnswer, EventQuery } from './query-schemas.ts';
import type { EventGroup } from './query-sql.ts';

/** Authenticated by a console account, or by an API key with `allowDataApi`. */
export function eventQueryRoutes(sources: EventSources): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/api/bus_tenants/:tenantId/queries',
      {
        bodyLimit: QUERY_BODY_LIMIT,
        config: { role: 'viewer', usage: 'read', cost: 10 },
        schema: {
          operationId: 'queryEvents',
          tags: ['Gameplay events'],
          summary: 'Query gameplay events',
          description:
            'Filters the stored and archived events of a tenant, groups them by up to three members and by time, and returns counts and figures ' +
            'of their values. Rows are sorted by time, then by the number of events, largest first. A query that takes longer ' +
            `than ${QUERY_SECONDS} seconds is 503 \`query_timeout\`. If the client disconnects, the query is cancelled. With a ` +
            'console token it counts as 10 requests.',
          params: TenantPath,
          body: EventQuery,
          response: { 200: EventQueryAnswer, ...problems(503) },
        },
      },
      async (request, reply) => {
        const { where = {}, groupBy = [], bucket, countPlayers, limit, ...range } = request.body;
        const filter = { ...range, ...where };
        const answer = await queryEvents(
          sources,
          request.params.tenantId,
          { filter, groupBy, bucket, countPlayers, limit },
          { signal: abortSignalOf(reply) },
        );
        return sendExact(reply, { ...answer, rows: answer.rows.map(withExactNumbers) });
      },
    );
  };
}

function withExactNumbers({ valueSum, valueMinimum, valueMaximum, ...row }: EventGroup): object {
  return {
    ...row,
    valueSum: exactNumber(valueSum),
    valueMinimum: exactNumber(valueMinimum),
    valueMaximum: exactNumber(valueMaximum),
  };
}
