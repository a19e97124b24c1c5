import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { Database } from '../../../database/database.ts';
import type { Vault } from '../../../security/vault.ts';
import { authorOf } from '../../../http/request-context.ts';
import { Page, PageQuery } from '../../../http/schemas.ts';
import { banHistory } from './ban-history.ts';
import { banPlayer } from './ban-player.ts';
import { liftBan } from './lift-ban.ts';
import { forceLogout } from './force-logout.ts';
import { Ban, BanBody, ForceLogoutBody, ForceLogoutResult, TenantPlayerPath } from './schemas.ts';

const PLAYER = '/api/bus_tenants/:tenantId/players/:playerId';
const tags = ['Tenant players'];

/** Behind a dashboard account. */
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
          summary: 'Ban a player from the tenant',
          description:
            'Refuses their logins, and ends their sessions in the tenant (reason `account_suspended`): no refresh, no new match. ' +
            'Access tokens stay valid until they expire. Banning again replaces the ban.',
          params: TenantPlayerPath,
          body: BanBody,
          response: { 201: Ban },
        },
      },
      async (request, reply) => {
        reply.code(201);
        return banPlayer(services, { ...request.params, ...request.body }, authorOf(request));
      },
    );

    app.delete(
      `${PLAYER}/ban`,
      {
        config: { role: 'admin' },
        schema: {
          operationId: 'liftPlayerBan',
          tags,
          summary: 'Lift the ban of a player',
          description: 'The same answer where they are not banned.',
          params: TenantPlayerPath,
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        const { tenantId, playerId } = request.params;
        await liftBan(database, tenantId, playerId, authorOf(request));
        return reply.code(204).send(null);
      },
    );

    app.post(
      `${PLAYER}/force-logout`,
      {
        config: { role: 'admin' },
        schema: {
          operationId: 'forceLogoutPlayer',
          tags,
          summary: 'End all sessions of a player in the tenant',
          description:
            'Each gets a row in the logout ledger (reason `kicked`), and its refresh token stops working; access tokens stay ' +
            'valid until they expire. The player may sign in again: to keep them out, ban them.',
          params: TenantPlayerPath,
          body: ForceLogoutBody,
          response: { 200: ForceLogoutResult },
        },
      },
      async (request) => {
        const message = request.body?.message || null;
        return forceLogout(database, { ...request.params, message }, authorOf(request));
      },
    );

    app.get(
      `${PLAYER}/bans`,
      {
        config: { role: 'viewer' },
        schema: {
          operationId: 'listPlayerBans',
          tags,
          summary: 'The bans that a player has had in the tenant',
          description: 'The latest first: the one in force, and those that have expired or were lifted.',
          params: TenantPlayerPath,
          querystring: PageQuery,
          response: { 200: Page(Ban) },
        },
      },
      async (request) => {
        const { tenantId, playerId } = request.params;
        return banHistory(database, tenantId, playerId, request.query);
      },
    );
  };
}
