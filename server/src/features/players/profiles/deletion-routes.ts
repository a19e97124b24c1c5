import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { authorOf, reporterOf } from '../../../http/request-context.ts';
import { Guid } from '../../../http/schemas.ts';
import { ProblemError } from '../../../core/problem.ts';
import { deletePlayer, type DeletionServices } from './delete-player.ts';

/** Behind a platform admin. */
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
            'What the player could do themselves: clears the profile, removes every sign-in method and ends every session in ' +
            'all tenants, for good. Deleting again changes nothing. A profile that was merged is not found by its old id.',
          params: Type.Object({ playerId: Guid }),
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        const deletion = {
          ...authorOf(request),
          action: 'player.admin_deleted' as const,
          tenantId: null,
        };
        if (!(await deletePlayer(services, request.params.playerId, deletion, reporterOf(request))))
          throw new ProblemError('player_not_found');
        return reply.code(204).send(null);
      },
    );
  };
}
