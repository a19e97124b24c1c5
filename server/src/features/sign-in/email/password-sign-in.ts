import type { Querier } from '../../../database/database.ts';
import type { GuessThrottle } from '../../../security/guess-throttle.ts';
import { hashPassword, verifyPassword } from '../../../security/passwords.ts';
import { requireDisplayName } from '../../../core/display-name.ts';
import { ProblemError } from '../../../core/problem.ts';
import type { MailServices } from '../../messages/mail/index.ts';
import { signIn, type LoginResult, type SignInRequest, type SignInServices } from '../login/index.ts';
import {
  claimWithPassword,
  findCredential,
  findPasswordHash,
  isCurrentPassword,
} from './credential-queries.ts';
import { verifyAddressEmail } from './email-templates.ts';
import { mailToken } from './email-tokens.ts';
import { spendMail } from './mail-limits.ts';

/**
 * A password signs in to games of one workspace, because a studio sees what players type in its games
 * (docs/decisions/0035-proofs-of-identity.md).
 */
export interface PasswordRequest extends Omit<SignInRequest, 'mode'> {
  /** The workspace of the tenant. */
  workspaceId: string;
  email: string;
  password: string;
}

/**
 * Creates a player with an address and a password, signs the player in, and mails a token that verifies the address. A pending
 * address may be taken over. Throws invalid_request for a display name that is not allowed, player_exists, too_many_attempts, and the errors of {@link signIn}.
 */
export async function signUp(
  services: SignInServices & MailServices,
  {
    workspaceId,
    email,
    password,
    displayName,
    ...request
  }: PasswordRequest & { displayName?: string | undefined },
): Promise<LoginResult> {
  const { tenantId } = request.billing;
  if (displayName !== undefined) requireDisplayName(displayName);
  // The lookup comes first: hashing the password costs about 1,000 times as much.
  if ((await findCredential(services.database, email))?.playerId) throw new ProblemError('player_exists');
  const passwordHash = await hashPassword(password);
  const inTransaction = async (transaction: Querier, playerId: string): Promise<void> => {
    const decision = await spendMail(transaction, tenantId, email);
    if (!(await claimWithPassword(transaction, { email, playerId, workspaceId, passwordHash })))
      throw new ProblemError('player_exists');
    const owner = { tenantId, email, playerId };
    await mailToken(services, transaction, owner, 'verify', verifyAddressEmail, decision);
  };
  const identity = {
    provider: 'EmailPassword',
    issuer: '',
    providerUserId: email,
    ...(displayName && { displayName }),
  } as const;
  return signIn(services, identity, { ...request, mode: 'only-new', inTransaction });
}

/**
 * Signs a player in with an address and a password. An unknown address costs the same work and returns the same error as a wrong
 * password. Throws invalid_credentials, too_many_attempts, and the errors of {@link signIn}.
 */
export async function logIn(
  services: SignInServices & { throttle: GuessThrottle },
  { workspaceId, email, password, ...request }: PasswordRequest,
): Promise<LoginResult> {
  const passwordHash = await findPasswordHash(services.database, email, workspaceId);
  const matches = await services.throttle.attempt(email, request.ipAddress, () =>
    verifyPassword(password, passwordHash),
  );
  if (!matches || !passwordHash) throw wrongPassword();
  // While the password was compared, the owner may have verified the address or set another password.
  const inTransaction = async (transaction: Querier, playerId: string): Promise<void> => {
    const stored = { email, playerId, workspaceId, passwordHash };
    if (!(await isCurrentPassword(transaction, stored))) throw wrongPassword();
  };
  const identity = { provider: 'EmailPassword', issuer: '', providerUserId: email } as const;
  return signIn(services, identity, { ...request, mode: 'login', inTransaction });
}

function wrongPassword(): ProblemError {
  return new ProblemError(
    'invalid_credentials',
    'The e-mail address or the password is wrong. A password works in games of one studio: for a game of another one, reset it there.',
  );
}
