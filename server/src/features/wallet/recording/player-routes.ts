import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { clientAddress } from '../../../http/client-address.ts';
import { CREDENTIAL_BODY_LIMIT } from '../../../http/bodies/body-limits.ts';
import { billingOf, keyOf } from '../../../http/request-context.ts';
import { problems } from '../../../http/schemas.ts';
import type { CreateBudget } from '../../../security/attempt-budget.ts';
import { createLoginThrottle } from '../../../security/guess-throttle.ts';
import { createSignUpBudget } from '../../../security/sign-up-budget.ts';
import { addAnonymousPlayer } from './add-player.ts';
import { logInByPassword } from './log-in-by-password.ts';
import { logInByWallet, type WalletLoginServices } from './log-in-by-wallet.ts';
import { lookUpAddress, lookUpPlayerId } from './read-player.ts';
import type { Recorder } from './recorder.ts';
import {
  CreatedWalletPlayer,
  CreateWalletPlayerRequest,
  AddressPath,
  PlayerIdPath,
  WalletPasswordLoginRequest,
  WalletPlayerIndex,
  WalletJwtLoginRequest,
  WalletLoginResult,
} from './schemas.ts';

const tags = ['Wallet recording'];

/** Looks up, adds and signs in players. Requires a game key. */
export function walletPlayerRoutes(
  services: WalletLoginServices & { recorder: Recorder; createBudget: CreateBudget },
): FastifyPluginAsyncTypebox {
  const signUps = createSignUpBudget(services.createBudget, 'wallets');
  const withThrottle = { ...services, throttle: createLoginThrottle(services.createBudget, 'wallets') };

  return async (app) => {
    app.get(
      '/api/BlockchainStorage/players/lookup/address/:address',
      {
        config: { usage: 'read' },
        schema: {
          operationId: 'getWalletPlayerIndexByAddress',
          tags,
          summary: 'Look up an address',
          description:
            'Returns the index of the player that the address is linked to, or 404 if there is none.',
          params: AddressPath,
          response: { 200: WalletPlayerIndex },
        },
      },
      async (request) => lookUpAddress(services, keyOf(request).tenantId, request.params.address),
    );

    app.get(
      '/api/BlockchainStorage/players/lookup/index/:playerId',
      {
        config: { usage: 'read' },
        schema: {
          operationId: 'getWalletPlayerIndexByPlayerId',
          tags,
          summary: 'Look up a playerId',
          description: 'Returns the index of the player with this playerId, or 404 if the playerId is free.',
          params: PlayerIdPath,
          response: { 200: WalletPlayerIndex },
        },
      },
      async (request) => lookUpPlayerId(services, keyOf(request).tenantId, request.params.playerId),
    );

    app.post(
      '/api/BlockchainStorage/players/add/anon',
      {
        config: { usage: 'write' },
        schema: {
          operationId: 'createAnonymousWalletPlayer',
          tags,
          summary: 'Add a player with a password',
          description:
            'Adds a player with a playerId, an address and a password. The address is not proved yet: the first wallet login of ' +
            'the address takes over the player, and the password becomes invalid. Returns 409 if the playerId or the address is ' +
            'taken. One network may add 600 players within 10 minutes.',
          body: CreateWalletPlayerRequest,
          response: { 200: CreatedWalletPlayer, ...problems(409) },
        },
      },
      async (request) => {
        const ipAddress = clientAddress(request);
        await signUps.spend(ipAddress);
        return addAnonymousPlayer(services, { billing: billingOf(request), ipAddress }, request.body);
      },
    );

    app.post(
      '/api/Auth/wallet/login/wallet-jwt',
      {
        bodyLimit: CREDENTIAL_BODY_LIMIT,
        config: { usage: 'write', signsInWith: 'WalletPlayerJwt' },
        schema: {
          operationId: 'logInWalletPlayerByJwt',
          tags,
          summary: 'Sign in with a wallet JWT',
          description:
            'Verifies the JWT by the tenant’s settings of the provider WalletJwt. The JWT must contain an address. ' +
            'The first login of an address adds its player.',
          body: WalletJwtLoginRequest,
          response: { 200: WalletLoginResult, ...problems(403, 422, 502) },
        },
      },
      async (request) =>
        logInByWallet(
          services,
          { ...keyOf(request), ipAddress: clientAddress(request) },
          billingOf(request),
          request.body.jwt,
        ),
    );

    app.post(
      '/api/Auth/wallet/login/password',
      {
        config: { usage: 'read', signsInWith: 'WalletPlayerPassword' },
        schema: {
          operationId: 'logInWalletPlayerByPassword',
          tags,
          summary: 'Sign in with a password',
          description:
            'Signs in a player of add/anon. One network may send 10 wrong passwords per player, and 100 in total, within 15 minutes.',
          body: WalletPasswordLoginRequest,
          response: { 200: WalletLoginResult },
        },
      },
      async (request) =>
        logInByPassword(withThrottle, keyOf(request).tenantId, clientAddress(request), request.body),
    );
  };
}
