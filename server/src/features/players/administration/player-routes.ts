import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Database } from '../../../database/database.ts';
import { authorOf } from '../../../http/request-context.ts';
import { Page, PageQuery, problems, TenantPath } from '../../../http/schemas.ts';
import { changePlayer } from './change-player.ts';
import { listPlayerDevices, listPlayerSessions } from './list-sessions-and-devices.ts';
import { listPlayers } from './list-players.ts';
import { readPlayer, readPlayers } from './read-player.ts';
import {
  UpdateTenantPlayerRequest,
  TenantPlayerDevice,
  TenantPlayerSession,
  PlayersQuery,
  TenantPlayer,
  TenantPlayerDetail,
  TenantPlayerPath,
  TenantPlayersRequest,
  TenantPlayersResult,
} from './schemas.ts';

const PLAYERS = '/api/bus_tenants/:tenantId/players';
const tags = ['Tenant players'];

/** The credential is the SaaS JWT of a console account. */
export function tenantPlayerRoutes({ database }: { database: Database }): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      PLAYERS,
      {
        config: { role: 'viewer' },
        schema: {
          operationId: 'listTenantPlayers',
          tags,
          summary: 'List players',
          description:
            'Lists all players who have signed in to the tenant, including deleted ones. A search finds and counts at most 2,500 players. ' +
            'If more match, use a longer search text. A filter finds and counts at most 50,000 banned and 50,000 hidden players.',
          params: TenantPath,
          querystring: PlayersQuery,
          response: { 200: Page(TenantPlayer), ...problems(503) },
        },
      },
      async (request) => listPlayers(database, request.params.tenantId, request.query),
    );

    app.post(
      `${PLAYERS}/bulk`,
      {
        config: { role: 'viewer' },
        schema: {
          operationId: 'getTenantPlayers',
          tags,
          summary: 'Get several players',
          description:
            'Returns up to 100 players, for example to show names beside the ids of events. The id of a merged profile returns the ' +
            'profile that it was merged into.',
          params: TenantPath,
          body: TenantPlayersRequest,
          response: { 200: TenantPlayersResult },
        },
      },
      async (request) => readPlayers(database, request.params.tenantId, request.body.playerIds),
    );

    app.get(
      `${PLAYERS}/:playerId`,
      {
        config: { role: 'viewer' },
        schema: {
          operationId: 'getTenantPlayer',
          tags,
          summary: 'Get a player',
          description:
            'The id of a merged profile returns the profile that it was merged into, with its own `playerId`. `mergedProfileIds` lists the ' +
            'merged profiles that this tenant knew.',
          params: TenantPlayerPath,
          response: { 200: TenantPlayerDetail },
        },
      },
      async (request) => readPlayer(database, request.params),
    );

    app.patch(
      `${PLAYERS}/:playerId`,
      {
        config: { role: 'admin' },
        schema: {
          operationId: 'updateTenantPlayer',
          tags,
          summary: 'Update a player',
          description:
            'Changes the player’s role in the tenant, or hides them from discovery. Changes only the fields that are sent. Takes effect ' +
            'immediately, in this tenant only. The numbers of records are read after the change is stored. If that fails (429 ' +
            '`too_many_reads`, 503), the change remains.',
          params: TenantPlayerPath,
          body: UpdateTenantPlayerRequest,
          response: { 200: TenantPlayerDetail },
        },
      },
      async (request) => changePlayer(database, request.params, request.body, authorOf(request)),
    );

    app.get(
      `${PLAYERS}/:playerId/sessions`,
      {
        config: { role: 'viewer' },
        schema: {
          operationId: 'listTenantPlayerSessions',
          tags,
          summary: 'List sessions of a player',
          description:
            'Lists the player’s sessions in the tenant, with those of merged profiles, the latest first.',
          params: TenantPlayerPath,
          querystring: PageQuery,
          response: { 200: Page(TenantPlayerSession), ...problems(503) },
        },
      },
      async (request) => listPlayerSessions(database, request.params, request.query),
    );

    app.get(
      `${PLAYERS}/:playerId/devices`,
      {
        config: { role: 'viewer' },
        schema: {
          operationId: 'listTenantPlayerDevices',
          tags,
          summary: 'List devices of a player',
          description: 'Lists the devices that the player has used in the tenant, the last used first.',
          params: TenantPlayerPath,
          querystring: PageQuery,
          response: { 200: Page(TenantPlayerDevice), ...problems(503) },
        },
      },
      async (request) => listPlayerDevices(database, request.params, request.query),
    );
  };
}
