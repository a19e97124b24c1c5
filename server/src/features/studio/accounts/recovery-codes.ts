import { randomInt } from 'node:crypto';
import type { Vault } from '../../../security/vault.ts';

const CODES = 10;
/** Without those that look like others. Ten of them are 49 bits. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';

/** Ten new recovery codes, such as `k7wq2-x9mfp`. */
export function newRecoveryCodes(): string[] {
  const part = (): string => Array.from({ length: 5 }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  return Array.from({ length: CODES }, () => `${part()}-${part()}`);
}

/** What is stored of a recovery code, however it was typed. */
export function recoveryCodeHash(vault: Vault, accountId: string, code: string): Buffer {
  return vault.fingerprint(`recovery code ${accountId} ${code.toLowerCase().replace(/[\s-]/g, '')}`);
}
