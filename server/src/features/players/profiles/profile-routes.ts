import type { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { CREDENTIAL_BODY_LIMIT } from '../../../http/body-limits.ts';
import { createExports } from '../../../http/exports.ts';
import { playerOf, reporterOf } from '../../../http/request-context.ts';
import type { AcquireSlots } from '../../../processes/concurrency-slots.ts';
import { problems } from '../../../http/schemas.ts';
import { ProblemError } from '../../../core/problem.ts';
import { callerWithProof, ProofHeaders } from './auth-methods/caller-of-routes.ts';
import { verifyProof } from './auth-methods/identity-proof.ts';
import type { ChangeBudgets } from './change-budgets.ts';
import { changeProfile } from './change-profile.ts';
import { deletePlayer, type DeletionServices } from './delete-player.ts';
import { confirmExport, exportProfile, type ExportServices } from './export-profile.ts';
import { PlayerDataExport } from './export-schemas.ts';
import { readOwnProfile, readTenantAccess } from './read-profile.ts';
import {
  UpdateProfileRequest,
  Deleted,
  FullPlayerProfile,
  ProofBody,
  RECEIPT_HEADER,
  TenantAccessList,
} from './schemas.ts';

const tags = ['Player profile'];

/**
 * Each export scans all events of the player's tenants. So only two of them read from PostgreSQL at the same time. The players of a tenant
 * are strangers to each other, so a tenant has no limit below that of the server. Otherwise eight of them could stop the exports of all.
 */
const EXPORT_LIMITS = { perCaller: 1, perTenant: 32, perNetwork: 8, inAll: 32, reading: 2 };

/** The credential is a player's access token. */
export function profileRoutes(
  services: DeletionServices & ExportServices & ChangeBudgets & { acquireSlots: AcquireSlots },
): FastifyPluginAsyncTypebox {
  const { database } = services;
  const exports = createExports(services.acquireSlots, 'profile exports', EXPORT_LIMITS);
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

    app.delete(
      '/api/player-profile/me',
      {
        bodyLimit: CREDENTIAL_BODY_LIMIT,
        config: { checksProof: true },
        schema: {
          operationId: 'deleteOwnProfile',
          tags,
          summary: 'Delete your profile',
          description:
            'Clears the profile, removes all sign-in methods and revokes all refresh tokens. It cannot be undone. An access token can ' +
            'still read the remaining data until it expires. A later sign-in creates a new player. The header `X-Deletion-Receipt` has the number of the receipt. Idempotent.',
          headers: ProofHeaders,
          body: ProofBody,
          response: { 204: Deleted, ...problems(502) },
        },
      },
      async (request, reply) => {
        const player = callerWithProof(request, request.body?.proof);
        const deleted = await deletePlayer(services, player.playerId, { player }, reporterOf(request));
        if (!deleted) throw new ProblemError('invalid_bearer');
        return reply.code(204).header(RECEIPT_HEADER, deleted.receiptId).send(null);
      },
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

    app.get(
      '/api/player-profile/me/export',
      {
        config: { cost: 30, checksProof: true },
        schema: {
          operationId: 'exportOwnData',
          tags,
          summary: 'Export your data',
          description:
            'Streams all data about the player as one JSON object: profile, devices, bans, sessions, logins, logouts, matches and ' +
            'events. It includes all tenants and merged profiles. A player can have one export in progress, and a network eight.',
          headers: ProofHeaders,
          response: {
            200: {
              description: 'The export.',
              content: {
                'application/json': { schema: Type.Unsafe<Readable>(PlayerDataExport) },
              },
            },
            ...problems(502, 503),
          },
        },
      },
      async (request, reply) => {
        const caller = callerWithProof(request);
        // A slow provider does not take a place of the exports.
        const proof = await verifyProof(services, caller);
        const pieces = exportProfile(services, caller, proof);
        const stream = await exports.open(request, caller.tenantId, pieces, () =>
          confirmExport(services, caller),
        );
        return reply
          .type('application/json')
          .header('content-disposition', 'attachment; filename="player-data.json"')
          .send(stream);
      },
    );
  };
}
