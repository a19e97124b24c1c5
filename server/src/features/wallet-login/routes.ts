import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { clientAddress } from '../../http/client-address.ts';
import { keyOf } from '../../http/request-context.ts';
import { problems } from '../../http/schemas.ts';
import { signIn, type SignInServices } from '../player-login/index.ts';
import { LoginResult } from '../player-tokens/index.ts';
import { issueChallenge, type IssueServices } from './issue-challenge.ts';
import { Challenge, ChallengeBody, VerifyBody } from './schemas.ts';
import { verifyMessage, type VerifyServices } from './verify-challenge.ts';

export type WalletLoginServices = SignInServices & IssueServices & VerifyServices;

/** Behind a game key: players who sign in with their wallet. */
export function walletLoginRoutes(services: WalletLoginServices): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/api/player-auth/wallet/challenge',
      {
        schema: {
          operationId: 'issueWalletChallenge',
          tags: ['Player sign-in'],
          summary: 'Get a message for a wallet to sign',
          description:
            'The message is good for one try of `/api/player-auth/wallet/verify` within five minutes.',
          body: ChallengeBody,
          response: { 200: Challenge, ...problems(422, 429) },
        },
      },
      async (request) => {
        const asker = { tenantId: keyOf(request).tenantId, ipAddress: clientAddress(request) };
        return issueChallenge(services, asker, request.body);
      },
    );

    app.post(
      '/api/player-auth/wallet/verify',
      {
        schema: {
          operationId: 'verifyWalletSignature',
          tags: ['Player sign-in'],
          summary: 'Sign a player in with a signed message',
          description:
            'Whatever comes of it, the message is used up: after any error, ask for a new challenge. A player who does not ' +
            'exist is created, unless `createAccountIfMissing` is false.',
          body: VerifyBody,
          response: { 200: LoginResult, ...problems(403, 404, 422, 502) },
        },
      },
      async (request) => {
        const asker = { tenantId: keyOf(request).tenantId, ipAddress: clientAddress(request) };
        const { message, signature, createAccountIfMissing, ...rest } = request.body;
        const identity = await verifyMessage(services, asker, { message, signature });
        return signIn(services, identity, {
          ...rest,
          ...asker,
          mode: createAccountIfMissing ? 'login' : 'only-existing',
        });
      },
    );
  };
}
