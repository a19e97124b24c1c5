import type { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { createExports } from '../../../http/exports.ts';
import { authorOf } from '../../../http/request-context.ts';
import { Guid, problems, Timestamp } from '../../../http/schemas.ts';
import type { AcquireSlots } from '../../../processes/concurrency-slots.ts';
import { exportPlayer } from './export-player.ts';
import { TenantPlayerDevice, TenantPlayerDetail, TenantPlayerPath } from './schemas.ts';
import { exportedLists, TenantThirdParty, type ExportServices } from '../profiles/index.ts';

/** Each export scans all events of the tenant for one player. So only two of them read from PostgreSQL at the same time. */
const EXPORT_LIMITS = { perCaller: 2, perTenant: 4, perNetwork: 4, inAll: 16, reading: 2 };

const TenantPlayerDataExport = Type.Object(
  {
    exportedAt: Timestamp,
    tenantId: Guid,
    player: Type.Omit(TenantPlayerDetail, ['counts'], { title: 'ExportedTenantPlayer' }),
    devices: Type.Array(TenantPlayerDevice),
    thirdParties: Type.Array(TenantThirdParty),
    ...exportedLists,
  },
  { title: 'TenantPlayerDataExport' },
);

interface RouteServices extends ExportServices {
  acquireSlots: AcquireSlots;
}

/** The credential is the SaaS JWT of a console account. */
export function tenantPlayerExportRoutes(services: RouteServices): FastifyPluginAsyncTypebox {
  const exports = createExports(services.acquireSlots, 'exports of players', EXPORT_LIMITS);
  return async (app) => {
    app.get(
      '/api/bus_tenants/:tenantId/players/:playerId/export',
      {
        config: { role: 'admin', cost: 30 },
        schema: {
          operationId: 'exportTenantPlayer',
          tags: ['Tenant players'],
          summary: 'Export data of a player',
          description:
            'Streams all data of the tenant about the player as one JSON object: profile, devices, bans, sessions, logins, logouts, ' +
            'matches and events. It includes merged profiles. It has no data of other tenants, and no notes of the workspace. Use ' +
            'it to answer a request of a player about their data. An account can have two exports in progress, and a tenant four. ' +
            'Writes the audit record `player.exported`.',
          params: TenantPlayerPath,
          response: {
            200: {
              description: 'The export.',
              content: {
                'application/json': { schema: Type.Unsafe<Readable>(TenantPlayerDataExport) },
              },
            },
            ...problems(503),
          },
        },
      },
      async (request, reply) => {
        const pieces = exportPlayer(services, request.params, authorOf(request));
        const stream = await exports.open(request, request.params.tenantId, pieces);
        return reply
          .type('application/json')
          .header('content-disposition', 'attachment; filename="player-data.json"')
          .send(stream);
      },
    );
  };
}
