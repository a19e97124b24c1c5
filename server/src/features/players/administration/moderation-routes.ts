import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { Database } from '../../../database/database.ts';
import type { Vault } from '../../../security/vault.ts';
import { authorOf } from '../../../http/request-context.ts';
import { Page, PageQuery } from '../../../http/schemas.ts';
import { banPlayer, liftBan, listPlayerBans } from './ban-player.ts';
import { forceLogout } from './force-logout.ts';
import { PlayerBan, BanPlayerRequest, ForceLogoutRequest, ForceLogoutResult } from './moderation-schemas.ts';
import { TenantPlayerPath } from './schemas.ts';

const PLAYER = '/api/bus_tenants/:tenantId/players/:playerId';
const tags = ['Tenant players'];

/** The credential is the SaaS JWT of a console account. */
export function playerModerationRoutes(services: {
  database: Database;
  vault: Vault;
}): FastifyPluginAsyncTypebox {
  const { database } = services;
  return async (app) => {
    app.post(
      `${PLAYER}/ban`,
      {
        config: { role: 'admin' },
        schema: {
          operationId: 'banPlayer',
          tags,
          summary: 'Ban a player',
          description:
            'Refuses the player’s logins to the tenant and ends their sessions there (reason `account_suspended`). They can neither ' +
            'refresh tokens nor join a new match. Access tokens stay valid until they expire. A new ban replaces the active one.',
          params: TenantPlayerPath,
          body: BanPlayerRequest,
          response: { 201: PlayerBan },
        },
      },
      async (request, reply) => {
        reply.code(201);
        return banPlayer(services, request.params, request.body ?? {}, authorOf(request));
      },
    );

    app.delete(
      `${PLAYER}/ban`,
      {
        config: { role: 'admin' },
        schema: {
          operationId: 'liftPlayerBan',
          tags,
          summary: 'Lift a ban',
          description:
            'Allows the player to log in to the tenant again. Idempotent: if the player is not banned, it answers 204 too.',
          params: TenantPlayerPath,
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        await liftBan(database, request.params, authorOf(request));
        return reply.code(204).send(null);
      },
    );

    app.post(
      `${PLAYER}/force-logout`,
      {
        config: { role: 'admin' },
        schema: {
          operationId: 'forcePlayerLogout',
          tags,
          summary: 'Force a player to log out',
          description:
            'Ends all sessions of the player in the tenant. Each one gets a row in the logout ledger (reason `kicked`), and its ' +
            'refresh token stops working. Access tokens stay valid until they expire. The player can log in again: use a ban to ' +
            'prevent that.',
          params: TenantPlayerPath,
          body: ForceLogoutRequest,
          response: { 200: ForceLogoutResult },
        },
      },
      async (request) => {
        const message = request.body?.message || null;
        return forceLogout(database, request.params, message, authorOf(request));
      },
    );

    app.get(
      `${PLAYER}/bans`,
      {
        config: { role: 'viewer' },
        schema: {
          operationId: 'listPlayerBans',
          tags,
          summary: 'List bans of a player',
          description:
            'Lists active, expired and lifted bans in the tenant, the latest first, at most the last 10,000.',
          params: TenantPlayerPath,
          querystring: PageQuery,
          response: { 200: Page(PlayerBan) },
        },
      },
      async (request) => listPlayerBans(database, request.params, request.query),
    );
  };
}
