import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Database } from '../../../database/database.ts';
import { problems, TenantPath } from '../../../http/schemas.ts';
import { listMatches } from './list-matches.ts';
import { readMatch } from './read-match.ts';
import { MatchesQuery, MatchPage, TenantMatch, TenantMatchPath } from './schemas.ts';

const tags = ['Matches'];

/** The matches of a tenant for console accounts. Game servers use the routes with a game key. */
export function tenantMatchRoutes({ database }: { database: Database }): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/bus_tenants/:tenantId/matches',
      {
        config: { role: 'viewer' },
        schema: {
          operationId: 'listTenantMatches',
          tags,
          summary: 'List the matches of a tenant',
          description:
            'Returns matches with the number of their players, newest first, in pages. Pass `nextCursor` as `cursor` to read the ' +
            'next page.',
          params: TenantPath,
          querystring: MatchesQuery,
          response: { 200: MatchPage, ...problems(503) },
        },
      },
      async (request) => listMatches(database, request.params.tenantId, request.query),
    );

    app.get(
      '/api/bus_tenants/:tenantId/matches/:matchSessionId',
      {
        config: { role: 'viewer' },
        schema: {
          operationId: 'getTenantMatch',
          tags,
          summary: 'Read a match of a tenant',
          description: 'Returns the match with its whole roster, the sessions of the players, and results.',
          params: TenantMatchPath,
          response: { 200: TenantMatch },
        },
      },
      async ({ params }) => readMatch(database, params.tenantId, params.matchSessionId),
    );
  };
}
