import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Database } from '../../../database/database.ts';
import { keyOf } from '../../../http/request-context.ts';
import { lookUpProfile } from './look-up-profile.ts';
import { lookUpProfiles } from './look-up-profiles.ts';
import { readPublicProfile } from './read-public-profile.ts';
import { BulkLookupBody, BulkLookupResult, PlayerPath, ProfileForKey, PublicProfile } from './schemas.ts';

const tags = ['Profile lookup'];

/** Behind a game key, or an API key that may read data. */
export function profileLookupRoutes(database: Database): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/player-profiles/:playerId',
      {
        config: { usage: 'read' },
        schema: {
          operationId: 'getPlayerProfile',
          tags,
          summary: 'What a game or an integration sees of a player',
          description:
            'Players of the key’s tenant only. A game key gets all of them, a private one with nothing but `id` and ' +
            '`profileVisibility`. An API key gets those who are neither private nor hidden in the tenant. The id of a ' +
            'profile that was merged leads to the one that it was merged into, whose `id` is in the answer. Send one key; ' +
            'both together are a 400.',
          params: PlayerPath,
          response: { 200: ProfileForKey },
        },
      },
      async (request) => lookUpProfile(database, keyOf(request), request.params.playerId),
    );
  };
}

/** Behind an API key that may read data. */
export function bulkProfileLookupRoutes(database: Database): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/api/player-profiles/bulk',
      {
        config: { usage: 'read' },
        schema: {
          operationId: 'getPlayerProfiles',
          tags,
          summary: 'What an integration sees of up to 100 players',
          description:
            'Shows the players that an API key gets one by one. All others are in `notFound`, whatever the reason. Two ids of ' +
            'one player, whose profiles were merged, give that player twice.',
          body: BulkLookupBody,
          response: { 200: BulkLookupResult },
        },
      },
      async (request) => lookUpProfiles(database, keyOf(request).tenantId, request.body.playerIds),
    );
  };
}

/** For anybody. */
export function publicProfileRoutes(database: Database): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/public/player-profiles/:playerId',
      {
        schema: {
          operationId: 'getPublicPlayerProfile',
          tags,
          summary: 'What anybody sees of a player',
          description:
            'A private profile is a 404. Of a limited one `games` is empty. A full one shows the games that its player has ' +
            'signed in to, without games that are hidden or closed, and without those that the player is hidden in.',
          params: PlayerPath,
          response: { 200: PublicProfile },
        },
      },
      async (request) => readPublicProfile(database, request.params.playerId),
    );
  };
}
