import type { Querier } from '../../../database/database.ts';
import type { Vault } from '../../../security/vault.ts';
import { recoveryCodeHash } from './recovery-codes.ts';
import { findTotpSecret, useRecoveryCode, useStep } from './totp-queries.ts';
import { matchingStep } from './totp.ts';

/** What the secret of an account is sealed for. */
export function totpPurpose(accountId: string): string {
  return `totp ${accountId}`;
}

/** Uses a code of the authenticator app up. False if it is wrong, or was used, or TOTP is off. */
export async function useCode(db: Querier, vault: Vault, accountId: string, code: string): Promise<boolean> {
  const totp = await findTotpSecret(db, accountId);
  if (!totp) return false;
  const secret = Buffer.from(vault.open(totp.secret, totpPurpose(accountId)), 'base64');
  const step = matchingStep(secret, code, Date.now());
  return step !== undefined && useStep(db, { accountId, secret: totp.secret, step });
}

/** Uses a code of the app or a recovery code up, whichever is given. */
export function useSecondFactor(
  db: Querier,
  vault: Vault,
  accountId: string,
  { code, recoveryCode }: { code?: string | undefined; recoveryCode?: string | undefined },
): Promise<boolean> {
  if (code !== undefined) return useCode(db, vault, accountId, code);
  return useRecoveryCode(db, accountId, recoveryCodeHash(vault, accountId, recoveryCode ?? ''));
}
