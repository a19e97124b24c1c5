import type { Querier } from '../../../database/database.ts';
import { hashPassword } from '../../../security/passwords.ts';
import { ProblemError } from '../../../core/problem.ts';
import type { MailServices } from '../../messages/mail/index.ts';
import { signIn, type LoginResult, type SignInRequest, type SignInServices } from '../login/index.ts';
import { verifyAddressEmail } from './templates/verify-address.ts';
import { spendMail } from './mail-limits.ts';
import { mailToken } from './mail-token.ts';
import { claimWithPassword, findCredential } from './queries.ts';

/**
 * Makes a player with an address and a password, signs them in, and mails a token to verify the address. An address that is
 * only pending is taken over. Throws player_exists, too_many_attempts, and what any sign-in throws.
 */
export async function signUp(
  services: SignInServices & MailServices,
  {
    email,
    password,
    displayName,
    ...request
  }: Omit<SignInRequest, 'mode'> & { email: string; password: string; displayName?: string | undefined },
): Promise<LoginResult> {
  const { tenantId } = request.billing;
  // Looked up before the password is hashed, which costs a thousand times as much.
  if ((await findCredential(services.database, email))?.playerId) throw new ProblemError('player_exists');
  const passwordHash = await hashPassword(password);
  const first = async (transaction: Querier, playerId: string): Promise<void> => {
    const verdict = await spendMail(transaction, tenantId, email);
    if (!(await claimWithPassword(transaction, { email, playerId, passwordHash })))
      throw new ProblemError('player_exists');
    const owner = { tenantId, email, playerId };
    await mailToken(services, transaction, owner, 'verify', verifyAddressEmail, verdict);
  };
  const identity = {
    provider: 'EmailPassword',
    issuer: '',
    providerUserId: email,
    ...(displayName && { displayName }),
  } as const;
  return signIn(services, identity, { ...request, mode: 'only-new', first });
}
