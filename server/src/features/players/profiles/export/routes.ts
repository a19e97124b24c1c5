import type { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { createExports } from '../../../../http/exports.ts';
import { problems } from '../../../../http/schemas.ts';
import type { AcquireSlots } from '../../../../processes/concurrency-slots.ts';
import type { MailServices } from '../../../messages/mail/index.ts';
import { callerWithProof, ProofHeaders } from '../auth-methods/caller-of-routes.ts';
import { verifyProof, type ProofServices } from '../auth-methods/identity-proof.ts';
import type { ChangeBudgets } from '../change-budgets.ts';
import { confirmExport, exportProfile, type ExportServices } from './export-profile.ts';
import { PlayerDataExport } from './schemas.ts';

/**
 * Each export scans all events of the player's tenants. So only two of them read from PostgreSQL at the same time. The players of a tenant
 * are strangers to each other, so a tenant has no limit below that of the server. Otherwise eight of them could stop the exports of all.
 */
const EXPORT_LIMITS = { perCaller: 1, perTenant: 32, perNetwork: 8, inAll: 32, reading: 2 };

interface RouteServices extends ExportServices, ProofServices, MailServices, ChangeBudgets {
  acquireSlots: AcquireSlots;
}

/** The credential is a player's access token. */
export function profileExportRoutes(services: RouteServices): FastifyPluginAsyncTypebox {
  const exports = createExports(services.acquireSlots, 'profile exports', EXPORT_LIMITS);
  return async (app) => {
    app.get(
      '/api/player-profile/me/export',
      {
        config: { cost: 30, checksProof: true },
        schema: {
          operationId: 'exportOwnData',
          tags: ['Player profile'],
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
