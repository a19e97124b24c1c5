import type { Database } from '../../../database/database.ts';
import type { GuessThrottle } from '../../../security/guess-throttle.ts';
import { verifyPassword } from '../../../security/passwords.ts';
import { ProblemError } from '../../../core/problem.ts';
import type { TokenSigner } from '../../platform/signing-keys/index.ts';
import { issueToken, type WalletLoginResult } from './issue-token.ts';
import { normalisePlayerId } from './player-id.ts';
import { findPlayerById } from './state-queries.ts';

interface PasswordLoginServices {
  database: Database;
  signer: TokenSigner;
  throttle: GuessThrottle;
}

/**
 * Signs a player in with the playerId and password of add/anon. An unknown playerId, or one without a password, costs the same
 * time and gets the same error as a wrong password. Throws invalid_credentials and too_many_attempts.
 */
export async function logInByPassword(
  { database, signer, throttle }: PasswordLoginServices,
  tenantId: string,
  ipAddress: string | null,
  given: { playerId: string; signInPassword: string },
): Promise<WalletLoginResult> {
  const playerId = normalisePlayerId(given.playerId);
  const player = await findPlayerById(database.forTenant(tenantId), tenantId, playerId);
  const matches = await throttle.attempt(`${tenantId} ${playerId}`, ipAddress, () =>
    verifyPassword(given.signInPassword, player?.passwordHash, ipAddress),
  );
  if (!player || !matches)
    throw new ProblemError('invalid_credentials', 'The playerId or the password is wrong.');
  return issueToken(signer, tenantId, player);
}
