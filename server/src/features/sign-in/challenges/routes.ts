import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { clientAddress } from '../../../http/client-address.ts';
import { CREDENTIAL_BODY_LIMIT } from '../../../http/body-limits.ts';
import { billingOf } from '../../../http/request-context.ts';
import { problems } from '../../../http/schemas.ts';
import { sendCode } from '../email/index.ts';
import { LoginResult } from '../tokens/index.ts';
import { issueChallenge, readAddress } from '../wallet/index.ts';
import { answerChallenge, type SignInChallengeServices } from './answer-challenge.ts';
import { Challenge, ChallengeBody, VerifyBody } from './schemas.ts';

const tags = ['Player sign-in'];

/** Behind a game key: one way to sign in by whatever a player can answer, a message to sign or a code that is mailed. */
export function signInChallengeRoutes(services: SignInChallengeServices): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/api/player-auth/challenge',
      {
        config: { usage: 'write' },
        schema: {
          operationId: 'issueSignInChallenge',
          tags,
          summary: 'Get a challenge to sign in with',
          description:
            'EvmWallet: `subject` is the wallet’s address, and `message` is for the wallet to sign, as of ' +
            '`/api/player-auth/wallet/challenge`. EmailOneTimeCode: `subject` is an e-mail address, to which a code is mailed, as by ' +
            '`/api/player-auth/email/otc`; within 30 seconds of a code the challenge is the same. A challenge may be answered at the ' +
            'provider’s own endpoint too.',
          body: ChallengeBody,
          response: { 200: Challenge, ...problems(422, 429) },
        },
      },
      async (request) => {
        const { provider, subject } = request.body;
        const asker = { billing: billingOf(request), ipAddress: clientAddress(request) };
        if (provider === 'EmailOneTimeCode') {
          const { id: challengeId, expiresAt } = await sendCode(services, asker, subject);
          return { challengeId, provider, expiresAt };
        }
        const address = readAddress(subject, 'subject');
        return { provider, ...(await issueChallenge(services, asker, { address })) };
      },
    );

    app.post(
      '/api/player-auth/challenge/verify',
      {
        bodyLimit: CREDENTIAL_BODY_LIMIT,
        config: { usage: 'write' },
        schema: {
          operationId: 'answerSignInChallenge',
          tags,
          summary: 'Sign a player in with the answer to a challenge',
          description:
            'A wallet’s challenge is used up by one try, a code’s by five. Whatever is wrong with the challenge or the response, the ' +
            'answer is the same 401. A player who does not exist is created, unless `createAccountIfMissing` is false.',
          body: VerifyBody,
          response: { 200: LoginResult, ...problems(403, 404, 422, 502) },
        },
      },
      async (request) => {
        const { createAccountIfMissing, ...rest } = request.body;
        return answerChallenge(services, {
          ...rest,
          mode: createAccountIfMissing ? 'login' : 'only-existing',
          billing: billingOf(request),
          ipAddress: clientAddress(request),
        });
      },
    );
  };
}
