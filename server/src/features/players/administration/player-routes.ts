import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { Database } from '../../../database/database.ts';
import { authorOf } from '../../../http/request-context.ts';
import { Guid, Page, PageQuery, problems } from '../../../http/schemas.ts';
import { changePlayer } from './change-player.ts';
import { listPlayerDevices, listPlayerSessions } from './list-belongings.ts';
import { listPlayers } from './list-players.ts';
import { readPlayer } from './read-player.ts';
import {
  ChangePlayerBody,
  PlayerDevice,
  PlayerSession,
  PlayersQuery,
  TenantPlayer,
  TenantPlayerDetail,
  TenantPlayerPath,
} from './schemas.ts';

const PLAYERS = '/api/bus_tenants/:tenantId/players';
const tags = ['Tenant players'];

/** Behind a dashboard account. */
export function tenantPlayerRoutes(database: Database): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      PLAYERS,
      {
        config: { role: 'viewer' },
        schema: {
          operationId: 'listTenantPlayers',
          tags,
          summary: 'The players of a tenant',
          description:
            'All who have ever signed in to it, deleted ones included. A search finds up to 2,500 players and counts no more: ' +
            'where more match, write on.',
          params: Type.Object({ tenantId: Guid }),
          querystring: PlayersQuery,
          response: { 200: Page(TenantPlayer), ...problems(429, 503) },
        },
      },
      async (request) => listPlayers(database, request.params.tenantId, request.query),
    );

    app.get(
      `${PLAYERS}/:playerId`,
      {
        config: { role: 'viewer' },
        schema: {
          operationId: 'getTenantPlayer',
          tags,
          summary: 'A player of a tenant',
          description:
            'The id of a profile that was merged leads to the one that it was merged into, whose `playerId` is in the answer.',
          params: TenantPlayerPath,
          response: { 200: TenantPlayerDetail },
        },
      },
      async (request) => readPlayer(database, request.params.tenantId, request.params.playerId),
    );

    app.patch(
      `${PLAYERS}/:playerId`,
      {
        config: { role: 'admin' },
        schema: {
          operationId: 'changeTenantPlayer',
          tags,
          summary: 'Change a player’s role, or hide them',
          description: 'Holds at once, and in this tenant alone. What is left out stays as it is.',
          params: TenantPlayerPath,
          body: ChangePlayerBody,
          response: { 200: TenantPlayerDetail },
        },
      },
      async (request) =>
        changePlayer(database, { ...request.params, changes: request.body }, authorOf(request)),
    );

    app.get(
      `${PLAYERS}/:playerId/sessions`,
      {
        config: { role: 'viewer' },
        schema: {
          operationId: 'listTenantPlayerSessions',
          tags,
          summary: 'The sessions that a player has had in the tenant',
          description: 'The latest first, those of merged profiles included.',
          params: TenantPlayerPath,
          querystring: PageQuery,
          response: { 200: Page(PlayerSession), ...problems(429, 503) },
        },
      },
      async (request) => {
        const { tenantId, playerId } = request.params;
        return listPlayerSessions(database, tenantId, playerId, request.query);
      },
    );

    app.get(
      `${PLAYERS}/:playerId/devices`,
      {
        config: { role: 'viewer' },
        schema: {
          operationId: 'listTenantPlayerDevices',
          tags,
          summary: 'The devices that a player has signed in to the tenant from',
          description: 'The last used first. Devices that they use elsewhere alone are not shown.',
          params: TenantPlayerPath,
          querystring: PageQuery,
          response: { 200: Page(PlayerDevice), ...problems(429, 503) },
        },
      },
      async (request) => {
        const { tenantId, playerId } = request.params;
        return listPlayerDevices(database, tenantId, playerId, request.query);
      },
    );
  };
}
