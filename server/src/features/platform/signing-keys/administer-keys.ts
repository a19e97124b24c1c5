import type { Author } from '../../../core/author.ts';
import { ProblemError } from '../../../core/problem.ts';
import type { Database } from '../../../database/database.ts';
import type { Vault } from '../../../security/vault.ts';
import { listSigningKeys, type SigningKeyRow } from './queries.ts';
import { RotationRefusedError, rotateKeys, type Rotation } from './rotate-keys.ts';

export const signingKeyStates = ['waiting', 'signing', 'verifying'] as const;

interface DescribedKey {
  kid: string;
  state: (typeof signingKeyStates)[number];
  activeFrom: string;
  retiresAt: string | null;
}

/** Lists the keys whose tokens are accepted, newest first, without their secrets. */
export async function describeSigningKeys(database: Database): Promise<DescribedKey[]> {
  const keys = await listSigningKeys(database);
  const isWaiting = ({ activeFrom }: SigningKeyRow) => Date.parse(activeFrom) > Date.now();
  const signing = keys.find((key) => !isWaiting(key));
  return keys.map((key) => {
    const { kid, activeFrom, retiresAt } = key;
    const state = isWaiting(key) ? 'waiting' : key === signing ? 'signing' : 'verifying';
    return { kid, state, activeFrom, retiresAt };
  });
}

/** Rotates the keys for a platform administrator. Throws conflict if a new key is waiting already. */
export async function rotateByRequest(
  { database, vault }: { database: Database; vault: Vault },
  author: Author,
  request: { activateInSeconds: number; revokeOld: boolean },
): Promise<Rotation> {
  try {
    return await rotateKeys(database, vault, author, request);
  } catch (error) {
    if (error instanceof RotationRefusedError) throw new ProblemError('conflict', error.message);
    throw error;
  }
}
