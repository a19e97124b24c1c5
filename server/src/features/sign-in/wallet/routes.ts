import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { clientAddress } from '../../../http/client-address.ts';
import { CREDENTIAL_BODY_LIMIT } from '../../../http/bodies/body-limits.ts';
import { requireEvmAddress } from '../../../core/evm-address.ts';
import { sourceOf } from '../../../http/request-context.ts';
import { problems } from '../../../http/schemas.ts';
import { toSignInRequest, type SignInServices } from '../login/index.ts';
import { LoginResult } from '../tokens/index.ts';
import { issueChallenge, issueProofChallenge, type IssueServices } from './issue-challenge.ts';
import { WalletChallenge, WalletChallengeRequest, WalletLoginRequest } from './schemas.ts';
import { signInByMessage, type VerifyServices } from './verify-challenge.ts';

export type WalletLoginServices = SignInServices & IssueServices & VerifyServices;

/** Sign-in with a wallet. Requires a game key. */
export function walletLoginRoutes(services: WalletLoginServices): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/api/player-auth/wallet/challenge',
      {
        config: { usage: 'write' },
        schema: {
          operationId: 'createWalletChallenge',
          tags: ['Player sign-in'],
          summary: 'Issue a wallet challenge',
          description:
            'Returns a message for the wallet to sign. Send the signature to `/api/player-auth/wallet/verify`. The message is valid for ' +
            'one attempt within 5 minutes. Limit: 300 unanswered challenges in 15 minutes from one network in a tenant.',
          body: WalletChallengeRequest,
          response: { 200: WalletChallenge, ...problems(422) },
        },
      },
      async (request) => {
        const address = requireEvmAddress(request.body.address, 'address');
        return issueChallenge(services, sourceOf(request), { address, chainId: request.body.chainId });
      },
    );

    app.post(
      '/api/player-auth/wallet/verify',
      {
        bodyLimit: CREDENTIAL_BODY_LIMIT,
        config: { usage: 'write', signsInWith: 'EvmWallet' },
        schema: {
          operationId: 'logInPlayerByWallet',
          tags: ['Player sign-in'],
          summary: 'Sign in with a wallet',
          description:
            'Verifies the signed message of a challenge and starts a session. A message is valid for one attempt. After `busy`, ' +
            '`too_many_attempts` or `provider_unavailable`, you can send it again. After another error, request a new challenge. ' +
            'Creates the player if none exists, unless `createAccountIfMissing` is false. Limit: 900 signatures of contract wallets in ' +
            '15 minutes from one network in a tenant.',
          body: WalletLoginRequest,
          response: { 200: LoginResult, ...problems(403, 404, 422, 502) },
        },
      },
      async (request) => {
        const { message, signature, ...rest } = request.body;
        const signInRequest = toSignInRequest(rest, sourceOf(request));
        return signInByMessage(services, { message, signature }, signInRequest);
      },
    );
  };
}

/** Proof of identity with a wallet, for the player portal. Requires no credential. */
export function walletProofRoutes(
  services: Omit<IssueServices, 'providerSettings'>,
): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/api/player-portal-auth/wallet/challenge',
      {
        schema: {
          operationId: 'createWalletProofChallenge',
          tags: ['Player portal'],
          summary: 'Issue a wallet proof challenge',
          description:
            'Returns a message for the wallet to sign. The signature is the proof of identity for one change of a profile. The message ' +
            'works once, for 5 minutes. It does not sign in to a game.',
          body: WalletChallengeRequest,
          response: { 200: WalletChallenge },
        },
      },
      async (request) => {
        const address = requireEvmAddress(request.body.address, 'address');
        const { chainId } = request.body;
        return issueProofChallenge(services, clientAddress(request), { address, chainId });
      },
    );
  };
}
