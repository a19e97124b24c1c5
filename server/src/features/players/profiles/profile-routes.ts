import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { playerOf, reporterOf } from '../../../http/request-context.ts';
import type { AvatarServices } from './avatars/upload-avatar.ts';
import type { ChangeBudgets } from './change-budgets.ts';
import { changeProfile } from './change-profile.ts';
import { readOwnProfile, readTenantAccess } from './read-profile.ts';
import { FullPlayerProfile, TenantAccessList, UpdateProfileRequest } from './schemas.ts';

const tags = ['Player profile'];

/** The credential is a player's access token. */
export function profileRoutes(services: AvatarServices & ChangeBudgets): FastifyPluginAsyncTypebox {
  const { database } = services;
  return async (app) => {
    app.get(
      '/api/player-profile/me',
      {
        schema: {
          operationId: 'getOwnProfile',
          tags,
          summary: 'Get your profile',
          description:
            'Returns the whole profile of the player. Only this view contains the email address, the sign-in methods and the merged ' +
            'profiles.',
          response: { 200: FullPlayerProfile },
        },
      },
      async (request) => readOwnProfile(database, playerOf(request)),
    );

    app.patch(
      '/api/player-profile/me',
      {
        schema: {
          operationId: 'updateOwnProfile',
          tags,
          summary: 'Update your profile',
          description: 'Changes only the fields that are sent. The email address cannot be changed here.',
          body: UpdateProfileRequest,
          response: { 200: FullPlayerProfile },
        },
      },
      async (request) => changeProfile(services, playerOf(request), request.body, reporterOf(request)),
    );

    app.get(
      '/api/player-profile/me/bus_tenants',
      {
        schema: {
          operationId: 'listOwnTenants',
          tags,
          summary: 'List your tenants',
          description:
            'Returns the tenants that the player has signed in to, with those of merged profiles. The last visited tenant is first. ' +
            'At most 1,000 tenants.',
          response: { 200: TenantAccessList },
        },
      },
      async (request) => readTenantAccess(database, playerOf(request)),
    );
  };
}
