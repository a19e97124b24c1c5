import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Static } from 'typebox';
import type { Database } from '../../../database/database.ts';
import { problems, TenantPath } from '../../../http/schemas.ts';
import { listMatches } from './list-matches.ts';
import { readMatch } from './read-match.ts';
import { type Match, MatchesQuery, ListedMatchPage, TenantMatch, TenantMatchPath } from './schemas.ts';

const tags = ['Matches'];

/** Authenticated by a console account, or by an API key with `allowDataApi`. Game servers use the routes with a game key. */
export function tenantMatchRoutes({ database }: { database: Database }): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/bus_tenants/:tenantId/matches',
      {
        config: { role: 'viewer', usage: 'read' },
        schema: {
          operationId: 'listTenantMatches',
          tags,
          summary: 'List the matches of a tenant',
          description:
            'Returns matches with the number of their players, newest first, in pages. Pass `nextCursor` as `cursor` to read the ' +
            'next page.',
          params: TenantPath,
          querystring: MatchesQuery,
          response: { 200: ListedMatchPage, ...problems(503) },
        },
      },
      async (request) => listMatches(database, request.params.tenantId, request.query),
    );

    app.get(
      '/api/bus_tenants/:tenantId/matches/:matchSessionId',
      {
        config: { role: 'viewer', usage: 'read' },
        schema: {
          operationId: 'getTenantMatch',
          tags,
          summary: 'Read a match of a tenant',
          description:
            'Returns the match with its whole roster and results, including players who have left. Only members of the workspace ' +
            'see the sessions of the players.',
          params: TenantMatchPath,
          response: { 200: TenantMatch },
        },
      },
      async ({ params, keyCaller }) => {
        const match = await readMatch(database, params.tenantId, params.matchSessionId);
        return keyCaller ? withoutSessions(match) : match;
      },
    );
  };
}

/** An API key only reads, but with the id of a session and the public game key its holder could end the session. */
function withoutSessions(match: Awaited<ReturnType<typeof readMatch>>): Static<typeof Match> {
  return { ...match, players: match.players.map(({ loginSessionId: _, ...player }) => player) };
}
