import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { playerOf, reporterOf } from '../../http/request-context.ts';
import { changeProfile, type ProfileServices } from './change-profile.ts';
import { readProfile, readTenantAccess } from './read-profile.ts';
import { ChangeProfileBody, FullPlayerProfile, TenantAccess } from './schemas.ts';

const tags = ['Player profile'];

/** Behind a player's token. */
export function profileRoutes(services: ProfileServices): FastifyPluginAsyncTypebox {
  const { database } = services;
  return async (app) => {
    app.get(
      '/api/player-profile/me',
      {
        schema: {
          operationId: 'readOwnProfile',
          tags,
          summary: 'The player’s own profile',
          description:
            'The only view that holds the e-mail address, the sign-in methods and the merged profiles.',
          response: { 200: FullPlayerProfile },
        },
      },
      async (request) => readProfile(database, playerOf(request).playerId),
    );

    app.patch(
      '/api/player-profile/me',
      {
        schema: {
          operationId: 'changeOwnProfile',
          tags,
          summary: 'Change the own profile',
          description: 'What is left out stays. The e-mail address cannot be changed here.',
          body: ChangeProfileBody,
          response: { 200: FullPlayerProfile },
        },
      },
      async (request) =>
        changeProfile(services, playerOf(request).playerId, request.body, reporterOf(request)),
    );

    app.get(
      '/api/player-profile/me/bus_tenants',
      {
        schema: {
          operationId: 'listOwnTenants',
          tags,
          summary: 'The games that the player has signed in to',
          description:
            'Those of profiles that were merged into this one included. Where they were last comes first.',
          response: { 200: Type.Array(TenantAccess) },
        },
      },
      async (request) => readTenantAccess(database, playerOf(request).playerId),
    );
  };
}
