import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { clientAddress } from '../../../http/client-address.ts';
import { CREDENTIAL_BODY_LIMIT } from '../../../http/body-limits.ts';
import { billingOf, keyOf } from '../../../http/request-context.ts';
import { problems } from '../../../http/schemas.ts';
import type { CreateBudget } from '../../../security/attempt-budget.ts';
import { createLoginThrottle } from '../../../security/login-throttle.ts';
import { createSignUpThrottle } from '../../../security/sign-up-throttle.ts';
import { addAnonymousPlayer } from './add-player.ts';
import { logInByPassword } from './log-in-by-password.ts';
import { logInByWallet, type WalletLoginServices } from './log-in-by-wallet.ts';
import { lookUpAddress, lookUpName } from './read-player.ts';
import type { Recorder } from './recorders/recorder.ts';
import {
  AddedPlayer,
  AddPlayerBody,
  AddressPath,
  NamePath,
  PasswordBody,
  PlayerIndex,
  WalletJwtBody,
  WalletLogin,
} from './schemas.ts';

const tags = ['Wallet recording'];

/** Behind a game key: who is there, adding players, and their sign-in. */
export function walletPlayerRoutes(
  services: WalletLoginServices & { recorder: Recorder; createBudget: CreateBudget },
): FastifyPluginAsyncTypebox {
  const signUps = createSignUpThrottle(services.createBudget, 'wallets');
  const withThrottle = { ...services, throttle: createLoginThrottle(services.createBudget, 'wallets') };

  return async (app) => {
    app.get(
      '/api/BlockchainStorage/players/lookup/address/:address',
      {
        config: { usage: 'read' },
        schema: {
          operationId: 'lookUpWalletAddress',
          tags,
          summary: 'The player whom an address is linked to',
          params: AddressPath,
          response: { 200: PlayerIndex },
        },
      },
      async (request) => lookUpAddress(services, keyOf(request).tenantId, request.params.address),
    );

    app.get(
      '/api/BlockchainStorage/players/lookup/index/:playerId',
      {
        config: { usage: 'read' },
        schema: {
          operationId: 'lookUpWalletPlayerId',
          tags,
          summary: 'The player who has a playerId',
          description: 'A playerId that is free is a 404.',
          params: NamePath,
          response: { 200: PlayerIndex },
        },
      },
      async (request) => lookUpName(services, keyOf(request).tenantId, request.params.playerId),
    );

    app.post(
      '/api/BlockchainStorage/players/add/anon',
      {
        config: { usage: 'write' },
        schema: {
          operationId: 'addAnonymousWalletPlayer',
          tags,
          summary: 'Add a player with a name, an address and a password',
          description:
            'Nobody has shown yet that the address is the player’s. Whoever does, by a wallet login, gets the player, and the ' +
            'password stops working. A playerId that is taken and an address that is linked are 409. One network may add 600 ' +
            'players in 10 minutes.',
          body: AddPlayerBody,
          response: { 200: AddedPlayer, ...problems(409) },
        },
      },
      async (request) => {
        await signUps.spend(clientAddress(request));
        return addAnonymousPlayer(services, billingOf(request), request.body);
      },
    );

    app.post(
      '/api/Auth/wallet/login/wallet-jwt',
      {
        bodyLimit: CREDENTIAL_BODY_LIMIT,
        config: { usage: 'write' },
        schema: {
          operationId: 'logInWalletByJwt',
          tags,
          summary: 'Sign in with a JWT of the wallet',
          description:
            'By the tenant’s settings of WalletJwt. The token must name an address; its player is made by the first login.',
          body: WalletJwtBody,
          response: { 200: WalletLogin, ...problems(403, 422, 502) },
        },
      },
      async (request) => logInByWallet(services, keyOf(request), billingOf(request), request.body.jwt),
    );

    app.post(
      '/api/Auth/wallet/login/password',
      {
        config: { usage: 'read' },
        schema: {
          operationId: 'logInWalletByPassword',
          tags,
          summary: 'Sign in with a playerId and its password',
          description:
            'For players of add/anon. Wrong passwords are limited: 10 for a player and 100 in all, within 15 minutes from one network.',
          body: PasswordBody,
          response: { 200: WalletLogin, ...problems(429) },
        },
      },
      async (request) =>
        logInByPassword(withThrottle, keyOf(request).tenantId, clientAddress(request), request.body),
    );
  };
}
