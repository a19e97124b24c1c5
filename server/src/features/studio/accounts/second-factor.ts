import { randomInt } from 'node:crypto';
import type { Querier } from '../../../database/database.ts';
import type { Vault } from '../../../security/vault.ts';
import { findTotpSecret, consumeRecoveryCode, consumeStep } from './totp-queries.ts';
import { matchingStep } from './totp.ts';

const RECOVERY_CODE_COUNT = 10;
/** The alphabet has no characters that look alike. A code of 10 characters has 49 bits of entropy. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';

/** Generates ten recovery codes, for example `k7wq2-x9mfp`. */
export function newRecoveryCodes(): string[] {
  const part = (): string => Array.from({ length: 5 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return Array.from({ length: RECOVERY_CODE_COUNT }, () => `${part()}-${part()}`);
}

/** Returns the stored hash of a recovery code. Letter case, spaces and hyphens do not matter. */
export function recoveryCodeHash(vault: Vault, accountId: string, code: string): Buffer {
  return vault.fingerprint(`recovery code ${accountId} ${code.toLowerCase().replace(/[\s-]/g, '')}`);
}

/** Encrypts the TOTP secret of an account for storage. */
export function sealTotpSecret(vault: Vault, accountId: string, secret: Buffer): Buffer {
  return vault.seal(secret.toString('base64'), totpPurpose(accountId));
}

export function unsealTotpSecret(vault: Vault, accountId: string, sealed: Buffer): Buffer {
  return Buffer.from(vault.open(sealed, totpPurpose(accountId)), 'base64');
}

function totpPurpose(accountId: string): string {
  return `totp ${accountId}`;
}

/** Consumes a code of the authenticator app. Returns false if the code is wrong or used, or if TOTP is off. */
export async function consumeCode(
  db: Querier,
  vault: Vault,
  accountId: string,
  code: string,
): Promise<boolean> {
  const totp = await findTotpSecret(db, accountId);
  if (!totp) return false;
  const step = matchingStep(unsealTotpSecret(vault, accountId, totp.secret), code, Date.now());
  return step !== undefined && consumeStep(db, { accountId, secret: totp.secret, step });
}

/** Consumes a code of the app or a recovery code. Returns false if the code is wrong or used. */
export function consumeSecondFactor(
  db: Querier,
  vault: Vault,
  accountId: string,
  { code, recoveryCode }: { code?: string | undefined; recoveryCode?: string | undefined },
): Promise<boolean> {
  if (code !== undefined) return consumeCode(db, vault, accountId, code);
  return consumeRecoveryCode(db, accountId, recoveryCodeHash(vault, accountId, recoveryCode ?? ''));
}
