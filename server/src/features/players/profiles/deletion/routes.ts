import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { CREDENTIAL_BODY_LIMIT } from '../../../../http/bodies/body-limits.ts';
import { authorOf, reporterOf } from '../../../../http/request-context.ts';
import { CursorQuery, Guid, problems } from '../../../../http/schemas.ts';
import { ProblemError } from '../../../../core/problem.ts';
import { callerWithProof, ProofHeaders } from '../auth-methods/caller-of-routes.ts';
import { IdentityProofRequest } from '../auth-methods/schemas.ts';
import {
  deletePlayer,
  readDeletionReceipt,
  readDeletionReceipts,
  type DeletionServices,
} from './delete-player.ts';
import { Deleted, DeletionReceipt, DeletionReceiptPage, RECEIPT_HEADER } from './schemas.ts';

/** The credential is a player's access token. */
export function profileDeletionRoutes(services: DeletionServices): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.delete(
      '/api/player-profile/me',
      {
        bodyLimit: CREDENTIAL_BODY_LIMIT,
        config: { checksProof: true },
        schema: {
          operationId: 'deleteOwnProfile',
          tags: ['Player profile'],
          summary: 'Delete your profile',
          description:
            'Clears the profile, removes all sign-in methods and revokes all refresh tokens. It cannot be undone. An access token can ' +
            'still read the remaining data until it expires. A later sign-in creates a new player. The header `X-Deletion-Receipt` has the number of the receipt. Idempotent.',
          headers: ProofHeaders,
          body: IdentityProofRequest,
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
  };
}

/** The credential is the SaaS JWT of a platform administrator. */
export function playerDeletionRoutes(services: DeletionServices): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.delete(
      '/api/admin/players/:playerId',
      {
        schema: {
          operationId: 'deletePlayer',
          tags: ['Administration'],
          summary: 'Delete a player',
          description:
            'Clears the profile, removes all sign-in methods and revokes all refresh tokens in all tenants. Use it for players who cannot ' +
            'delete their profile themselves. It cannot be undone. Idempotent. Answers 404 for the id of a merged profile: use the ' +
            'id of the profile that it was merged into. The header `X-Deletion-Receipt` has the number of the receipt.',
          params: Type.Object({ playerId: Guid }),
          response: { 204: Deleted },
        },
      },
      async (request, reply) => {
        const by = { administrator: authorOf(request) };
        const deleted = await deletePlayer(services, request.params.playerId, by, reporterOf(request));
        if (!deleted) throw new ProblemError('player_not_found');
        return reply.code(204).header(RECEIPT_HEADER, deleted.receiptId).send(null);
      },
    );

    app.get(
      '/api/admin/players/:playerId/deletion-receipt',
      {
        schema: {
          operationId: 'getDeletionReceipt',
          tags: ['Administration'],
          summary: 'Read the receipt of a deletion',
          description:
            'Returns when a player was deleted, by whom, and how much was removed. It was written in the transaction of the ' +
            'deletion. Answers 404 if the player was not deleted.',
          params: Type.Object({ playerId: Guid }),
          response: { 200: DeletionReceipt },
        },
      },
      async (request) => readDeletionReceipt(services.database, request.params.playerId),
    );

    app.get(
      '/api/admin/deletion-receipts',
      {
        schema: {
          operationId: 'listDeletionReceipts',
          tags: ['Administration'],
          summary: 'List receipts of deletions',
          description: 'Returns the receipts of all deleted players, newest first.',
          querystring: CursorQuery,
          response: { 200: DeletionReceiptPage },
        },
      },
      async (request) => readDeletionReceipts(services.database, request.query),
    );
  };
}
