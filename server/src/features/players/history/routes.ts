import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Database } from '../../../database/database.ts';
import { playerOf } from '../../../http/request-context.ts';
import { problems } from '../../../http/schemas.ts';
import { readHistory } from './read-history.ts';
import { readSummary } from './read-summary.ts';
import { HistoryQuery, SessionHistory, SessionSummary } from './schemas.ts';

const tags = ['Sessions'];

/** Behind a player's token. */
export function sessionHistoryRoutes(database: Database): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/player/sessions/history',
      {
        schema: {
          operationId: 'listPlayerSessions',
          tags,
          summary: 'The player’s logins, newest first',
          description:
            'In all games, or in one; those of merged profiles included. Pass on both values of a cursor as they came. ' +
            'Following them shows each login once, whatever is written meanwhile.',
          querystring: HistoryQuery,
          response: { 200: SessionHistory, ...problems(429, 503) },
        },
      },
      async (request) => readHistory(database, playerOf(request).playerId, request.query),
    );

    app.get(
      '/api/player/sessions/summary',
      {
        schema: {
          operationId: 'summarisePlayerSessions',
          tags,
          summary: 'What the player’s logins come to',
          description: 'Over all games, those of merged profiles included.',
          response: { 200: SessionSummary, ...problems(429, 503) },
        },
      },
      async (request) => readSummary(database, playerOf(request).playerId),
    );
  };
}
