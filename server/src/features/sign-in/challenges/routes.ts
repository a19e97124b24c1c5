import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { CREDENTIAL_BODY_LIMIT } from '../../../http/bodies/body-limits.ts';
import { requireEvmAddress } from '../../../core/evm-address.ts';
import { sourceOf } from '../../../http/request-context.ts';
import { problems } from '../../../http/schemas.ts';
import { sendCode } from '../email/index.ts';
import { toSignInRequest } from '../login/index.ts';
import { LoginResult } from '../tokens/index.ts';
import { issueChallenge } from '../wallet/index.ts';
import { answerChallenge, type SignInChallengeServices } from './answer-challenge.ts';
import { LoginChallenge, LoginChallengeRequest, ChallengeLoginRequest } from './schemas.ts';

const tags = ['Player sign-in'];

/** Sign-in with a challenge of any kind: a message to sign, or a mailed code. Requires a game key. */
export function signInChallengeRoutes(services: SignInChallengeServices): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/api/player-auth/challenge',
      {
        config: { usage: 'write' },
        schema: {
          operationId: 'createLoginChallenge',
          tags,
          summary: 'Issue a sign-in challenge',
          description:
            'EvmWallet: `subject` is the wallet’s address, and the wallet signs `message`, as with ' +
            '`/api/player-auth/wallet/challenge`. EmailOneTimeCode: `subject` is an email address that gets a code, as with ' +
            '`/api/player-auth/email/otc`. A second request within 30 seconds returns the same challenge. The answer may also be sent to ' +
            'the provider’s own endpoint.',
          body: LoginChallengeRequest,
          response: { 200: LoginChallenge, ...problems(422) },
        },
      },
      async (request) => {
        const { provider, subject } = request.body;
        if (provider === 'EmailOneTimeCode') {
          const { id: challengeId, expiresAt } = await sendCode(services, sourceOf(request), subject);
          return { challengeId, provider, expiresAt };
        }
        const address = requireEvmAddress(subject, 'subject');
        return { provider, ...(await issueChallenge(services, sourceOf(request), { address })) };
      },
    );

    app.post(
      '/api/player-auth/challenge/verify',
      {
        bodyLimit: CREDENTIAL_BODY_LIMIT,
        config: { usage: 'write', signsInWith: 'Challenge' },
        schema: {
          operationId: 'logInPlayerByChallenge',
          tags,
          summary: 'Answer a sign-in challenge',
          description:
            'Verifies the answer and starts a session. A wallet’s challenge allows one attempt, and a mailed code allows five. Every ' +
            'wrong, used or expired challenge returns the same 401. Creates the player if none exists, unless `createAccountIfMissing` ' +
            'is false.',
          body: ChallengeLoginRequest,
          response: { 200: LoginResult, ...problems(403, 404, 422, 502) },
        },
      },
      async (request) => answerChallenge(services, toSignInRequest(request.body, sourceOf(request))),
    );
  };
}
