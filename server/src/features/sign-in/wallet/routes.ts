import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { clientAddress } from '../../../http/client-address.ts';
import { CREDENTIAL_BODY_LIMIT } from '../../../http/body-limits.ts';
import { billingOf } from '../../../http/request-context.ts';
import { problems } from '../../../http/schemas.ts';
import { signIn, type SignInServices } from '../login/index.ts';
import { LoginResult } from '../tokens/index.ts';
import { issueChallenge, issueProofChallenge, type IssueServices } from './issue-challenge.ts';
import { readAddress } from './read-address.ts';
import { Challenge, ChallengeBody, VerifyBody } from './schemas.ts';
import { verifyMessage, type VerifyServices } from './verify-challenge.ts';

export type WalletLoginServices = SignInServices & IssueServices & VerifyServices;

/** Behind a game key: players who sign in with their wallet. */
export function walletLoginRoutes(services: WalletLoginServices): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/api/player-auth/wallet/challenge',
      {
        config: { usage: 'write' },
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
        const asker = { billing: billingOf(request), ipAddress: clientAddress(request) };
        const address = readAddress(request.body.address, 'address');
        return issueChallenge(services, asker, { address, chainId: request.body.chainId });
      },
    );

    app.post(
      '/api/player-auth/wallet/verify',
      {
        bodyLimit: CREDENTIAL_BODY_LIMIT,
        config: { usage: 'write' },
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
        const from = { billing: billingOf(request), ipAddress: clientAddress(request) };
        const asker = { tenantId: from.billing.tenantId, ipAddress: from.ipAddress };
        const { message, signature, createAccountIfMissing, ...rest } = request.body;
        const identity = await verifyMessage(services, asker, { message, signature });
        return signIn(services, identity, {
          ...rest,
          ...from,
          mode: createAccountIfMissing ? 'login' : 'only-existing',
        });
      },
    );
  };
}

/** Open to anyone, as the other doors of the player portal are. */
export function walletProofRoutes(
  services: Omit<IssueServices, 'providerSettings'>,
): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/api/player-portal-auth/wallet/challenge',
      {
        schema: {
          operationId: 'issueWalletProofChallenge',
          tags: ['Player portal'],
          summary: 'Get a message that proves identity',
          description:
            'The wallet signs the message, and the signature is the proof of identity for one change of a profile. The message ' +
            'works once, for five minutes. It signs in to no game.',
          body: ChallengeBody,
          response: { 200: Challenge, ...problems(429) },
        },
      },
      async (request) => {
        const address = readAddress(request.body.address, 'address');
        const { chainId } = request.body;
        return issueProofChallenge(services, clientAddress(request), { address, chainId });
      },
    );
  };
}
