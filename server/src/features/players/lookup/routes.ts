import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Database } from '../../../database/database.ts';
import { keyOf } from '../../../http/request-context.ts';
import { lookUpProfile, lookUpProfiles, readPublicProfile } from './look-up-profiles.ts';
import type { ProfileLookups } from './profile-lookups.ts';
import {
  ProfileLookupRequest,
  ProfileLookupResult,
  PlayerPath,
  PlayerProfile,
  PublicPlayerProfile,
} from './schemas.ts';

const tags = ['Profile lookup'];

/** The credential is a game key, or an API key with data access. */
export function profileLookupRoutes({
  profileLookups,
}: {
  profileLookups: ProfileLookups;
}): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/player-profiles/:playerId',
      {
        config: { usage: 'read' },
        schema: {
          operationId: 'getPlayerProfile',
          tags,
          summary: 'Look up a player',
          description:
            'Returns a player of the key’s tenant. A game key sees all players, but only `id` and `profileVisibility` of private ones. ' +
            'An API key sees players who are neither private nor hidden in the tenant. The id of a merged profile returns the ' +
            'profile that it was merged into, with its own `id`. Send one key: both together get a 400.',
          params: PlayerPath,
          response: { 200: PlayerProfile },
        },
      },
      async (request) => lookUpProfile(profileLookups, keyOf(request), request.params.playerId),
    );
  };
}

/** The credential is an API key with data access. */
export function bulkProfileLookupRoutes({ database }: { database: Database }): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/api/player-profiles/bulk',
      {
        config: { usage: 'read' },
        schema: {
          operationId: 'getPlayerProfiles',
          tags,
          summary: 'Look up several players',
          description:
            'Returns up to 100 players of the tenant, by the same rules as a single lookup with an API key. The other ids are in ' +
            '`notFound`, without a reason. If two ids belong to one merged player, `items` contains that player twice.',
          body: ProfileLookupRequest,
          response: { 200: ProfileLookupResult },
        },
      },
      async (request) => lookUpProfiles(database, keyOf(request).tenantId, request.body.playerIds),
    );
  };
}

/** Needs no credential. */
export function publicProfileRoutes({ database }: { database: Database }): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/public/player-profiles/:playerId',
      {
        schema: {
          operationId: 'getPublicPlayerProfile',
          tags,
          summary: 'Get a public profile',
          description:
            'Returns what everybody can see of a player. Answers 404 for a private profile. A limited profile has an empty `games`. A ' +
            'full profile lists the games that the player has signed in to, without hidden and disabled games, and without games in ' +
            'which the player is hidden.',
          params: PlayerPath,
          response: { 200: PublicPlayerProfile },
        },
      },
      async (request) => readPublicProfile(database, request.params.playerId),
    );
  };
}
