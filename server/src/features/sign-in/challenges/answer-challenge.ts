import { ProblemError } from '../../../core/problem.ts';
import { exchangeCode, findCodeAddress, type EmailLoginServices } from '../email/index.ts';
import type { SignInRequest } from '../login/index.ts';
import type { PlayerTokens } from '../tokens/index.ts';
import { hasChallenge, signInByMessage, type WalletLoginServices } from '../wallet/index.ts';

export type SignInChallengeServices = WalletLoginServices & EmailLoginServices;

/** A login request with the answer to a challenge. */
interface ChallengeAnswer extends SignInRequest {
  challengeId: string;
  response: string;
}

/**
 * Signs in with the answer to a challenge. Each kind follows the rules of its own endpoint. Throws one invalid_credentials for every
 * fault of the answer, and the other errors of the sign-ins with a wallet and with a code.
 */
export async function answerChallenge(
  services: SignInChallengeServices,
  answer: ChallengeAnswer,
): Promise<PlayerTokens> {
  try {
    return await answerByKind(services, answer);
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'invalid_credentials') throw invalidAnswer();
    throw error;
  }
}

async function answerByKind(
  services: SignInChallengeServices,
  { challengeId, response, ...request }: ChallengeAnswer,
): Promise<PlayerTokens> {
  const { tenantId } = request.billing;
  const tenant = services.database.forTenant(tenantId);
  if (await hasChallenge(tenant, tenantId, challengeId))
    return signInByMessage(services, { challengeId, signature: response }, request);
  const email = await findCodeAddress(tenant, tenantId, challengeId);
  if (email !== undefined)
    return exchangeCode(services, { ...request, email, codeId: challengeId, code: response });
  throw invalidAnswer();
}

function invalidAnswer(): ProblemError {
  return new ProblemError(
    'invalid_credentials',
    'The challenge is unknown, answered or expired, or the response is wrong. Request a new challenge.',
  );
}
