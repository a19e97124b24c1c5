import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { authorOf } from '../../../http/request-context.ts';
import { Name } from '../../../http/schemas.ts';
import { FullPlayerProfile } from '../profiles/index.ts';
import { MAX_FOUND_PROFILES, searchProfiles, type SearchServices } from './search-profiles.ts';

const FoundPlayers = Type.Object(
  { items: Type.Array(FullPlayerProfile, { maxItems: MAX_FOUND_PROFILES }) },
  { title: 'FoundPlayers' },
);

/** The credential is the SaaS JWT of a platform administrator. */
export function profileSearchRoutes(services: SearchServices): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/admin/players',
      {
        schema: {
          operationId: 'listMatchingPlayers',
          tags: ['Administration'],
          summary: 'Find a player in all tenants',
          description:
            'Finds the player of a whole id, email address, or id at a provider, in all tenants. Ids of Mock and WalletJwt belong to ' +
            'a workspace or an issuer: search for them in the list of players of a tenant. Use it to answer a request of a person ' +
            'about their data. The id of a merged profile finds the profile that it was merged into. Each search ' +
            'leaves the audit record `player.searched` for each found player, without the search text.',
          querystring: Type.Object({
            search: Name(254, 'A whole player id, email address or id at a provider.'),
          }),
          response: { 200: FoundPlayers },
        },
      },
      async (request) => ({
        items: await searchProfiles(services, request.query.search, authorOf(request)),
      }),
    );
  };
}
