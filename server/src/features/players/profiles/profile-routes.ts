import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { createExports } from '../../../http/exports.ts';
import { originOf, playerOf, reporterOf } from '../../../http/request-context.ts';
import { problems } from '../../../http/schemas.ts';
import { ProblemError } from '../../../core/problem.ts';
import { applicantOf, ProofHeaders } from './applicant-of-routes.ts';
import { admitExport } from './admit-export.ts';
import { changeProfile } from './change-profile.ts';
import { deletePlayer, type DeletionServices } from './delete-player.ts';
import { exportProfile } from './export-profile.ts';
import { readProfile, readTenantAccess } from './read-profile.ts';
import { ChangeProfileBody, FullPlayerProfile, TenantAccessList } from './schemas.ts';

const tags = ['Player profile'];

/** Each reads through all events of the player's games, which is much work for PostgreSQL: so only two read at once. */
const EXPORT_LIMITS = { perCaller: 1, perTenant: 8, inAll: 32, reading: 2 };

/** Behind a player's token. */
export function profileRoutes(services: DeletionServices): FastifyPluginAsyncTypebox {
  const { database } = services;
  const exports = createExports(EXPORT_LIMITS);
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

    app.delete(
      '/api/player-profile/me',
      {
        schema: {
          operationId: 'deleteOwnProfile',
          tags,
          summary: 'Delete the own profile',
          description:
            'Clears the profile, removes every sign-in method and ends every session, for good. An access token still reads ' +
            'what is left until it expires. Whoever signs in again is somebody new. Deleting again changes nothing.',
          headers: ProofHeaders,
          response: { 204: Type.Null(), ...problems(403, 502) },
        },
      },
      async (request, reply) => {
        const { playerId, tenantId } = playerOf(request);
        const deletion = {
          action: 'player.self_deleted' as const,
          actor: { kind: 'player' as const, id: playerId },
          origin: originOf(request),
          tenantId,
          applicant: applicantOf(request),
        };
        if (!(await deletePlayer(services, playerId, deletion, reporterOf(request))))
          throw new ProblemError('invalid_bearer');
        return reply.code(204).send(null);
      },
    );

    app.get(
      '/api/player-profile/me/bus_tenants',
      {
        schema: {
          operationId: 'listOwnTenants',
          tags,
          summary: 'The games that the player has signed in to',
          description:
            'The last 1,000, those of profiles that were merged into this one included. Where they were last comes first.',
          response: { 200: TenantAccessList },
        },
      },
      async (request) => readTenantAccess(database, playerOf(request).playerId),
    );

    app.get(
      '/api/player-profile/me/export',
      {
        schema: {
          operationId: 'exportOwnData',
          tags,
          summary: 'Everything held about the player',
          description:
            'One JSON object, sent while it is read: the profile, devices, bans, sessions, the ledgers of logins and logouts, ' +
            'matches and events, in all games, with those of profiles that were merged into this one. One export of a player ' +
            'at a time, and eight of a tenant.',
          headers: ProofHeaders,
          response: {
            200: {
              description: 'The export.',
              content: { 'application/json': { schema: Type.Object({}, { additionalProperties: true }) } },
            },
            ...problems(403, 429, 502, 503),
          },
        },
      },
      async (request, reply) => {
        const { playerId, tenantId } = playerOf(request);
        await admitExport(services, applicantOf(request));
        const profile = await readProfile(database, playerId);
        const stream = exports.open(request, tenantId, exportProfile(database, profile));
        return reply
          .type('application/json')
          .header('content-disposition', 'attachment; filename="player-data.json"')
          .send(stream);
      },
    );
  };
}
