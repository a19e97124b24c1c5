import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { playerOf } from '../../../http/request-context.ts';
import { problems } from '../../../http/schemas.ts';
import { readHistory, type HistoryServices } from './read-history.ts';
import { readSummary } from './read-summary.ts';
import { HistoryQuery, SessionHistory, SessionSummary } from './schemas.ts';

const tags = ['Sessions'];

/** The credential is a player's access token. */
export function sessionHistoryRoutes(services: HistoryServices): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/player/sessions/history',
      {
        schema: {
          operationId: 'listPlayerSessions',
          tags,
          summary: 'List your logins',
          description:
            'Lists the player’s logins in all tenants or in one, with those of merged profiles, the newest first. For the next page, ' +
            'send both values of the cursor unchanged. The pages contain each login exactly once, even if new logins arrive.',
          querystring: HistoryQuery,
          response: { 200: SessionHistory, ...problems(503) },
        },
      },
      async (request) => readHistory(services, playerOf(request), request.query),
    );

    app.get(
      '/api/player/sessions/summary',
      {
        schema: {
          operationId: 'getPlayerSessionSummary',
          tags,
          summary: 'Summarize your logins',
          description:
            'Returns totals over all tenants, with the logins of merged profiles, and the ten latest logins.',
          response: { 200: SessionSummary, ...problems(503) },
        },
      },
      async (request) => readSummary(services.database, playerOf(request)),
    );
  };
}
