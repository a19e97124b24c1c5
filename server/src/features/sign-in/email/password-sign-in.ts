import type { Querier } from '../../../database/database.ts';
import type { GuessThrottle } from '../../../security/guess-throttle.ts';
import { hashPassword, verifyPassword } from '../../../security/passwords.ts';
import { requireDisplayName } from '../../../core/display-name.ts';
import { ProblemError } from '../../../core/problem.ts';
import type { MailServices } from '../../messages/mail/index.ts';
import { signIn, type SignInRequest, type SignInServices } from '../login/index.ts';
import type { PlayerTokens } from '../tokens/index.ts';
import { claimWithPassword, findCredential, isCurrentPassword } from './credential-queries.ts';
import { mailToken } from './email-tokens.ts';
import { spendMail, type MailBudget } from './mail-limits.ts';

/**
 * Creates a player with an address and a password, signs the player in, and mails a token that verifies the address. A pending
 * address may be taken over. Throws invalid_request for a display name that is not allowed, player_exists, too_many_attempts, and the
 * errors of {@link signIn}.
 */
export async function signUp(
  services: SignInServices & MailServices & { mailBudget: MailBudget },
  {
    email,
    password,
    displayName,
    ...request
  }: Omit<SignInRequest, 'mode'> & { email: string; password: string; displayName?: string | undefined },
): Promise<PlayerTokens> {
  const { tenantId } = request.billing;
  if (displayName !== undefined) requireDisplayName(displayName);
  // The lookup comes first: hashing the password costs about 1,000 times as much.
  if ((await findCredential(services.database, email))?.playerId) throw new ProblemError('player_exists');
  const passwordHash = await hashPassword(password, request.ipAddress);
  const inTransaction = async (transaction: Querier, playerId: string): Promise<void> => {
    const decision = await spendMail(transaction, tenantId, email);
    if (!(await claimWithPassword(transaction, { email, playerId, passwordHash })))
      throw new ProblemError('player_exists');
    const owner = { tenantId, email, playerId };
    await mailToken(services, transaction, owner, { purpose: 'verify', decision });
  };
  const identity = {
    provider: 'EmailPassword',
    issuer: '',
    providerUserId: email,
    ...(displayName && { displayName }),
  } as const;
  return services.mailBudget.countSignUp(request.ipAddress, email, () =>
    signIn(services, identity, { ...request, mode: 'only-new', inTransaction }),
  );
}

/**
 * Signs a player in with an address and a password. An unknown address costs the same work and returns the same error as a wrong
 * password. Throws invalid_credentials, too_many_attempts, and the errors of {@link signIn}.
 */
export async function logIn(
  services: SignInServices & { playerLoginThrottle: GuessThrottle },
  { email, password, ...request }: Omit<SignInRequest, 'mode'> & { email: string; password: string },
): Promise<PlayerTokens> {
  const passwordHash = (await findCredential(services.database, email))?.passwordHash;
  const matches = await services.playerLoginThrottle.attempt(email, request.ipAddress, () =>
    verifyPassword(password, passwordHash, request.ipAddress),
  );
  if (!matches || !passwordHash) throw wrongPassword();
  // While the password was compared, the owner may have verified the address or set another password.
  const inTransaction = async (transaction: Querier, playerId: string): Promise<void> => {
    if (!(await isCurrentPassword(transaction, { email, playerId, passwordHash }))) throw wrongPassword();
  };
  const identity = { provider: 'EmailPassword', issuer: '', providerUserId: email } as const;
  return signIn(services, identity, { ...request, mode: 'new-or-existing', inTransaction });
}

function wrongPassword(): ProblemError {
  return new ProblemError('invalid_credentials', 'The email address or the password is wrong.');
}
