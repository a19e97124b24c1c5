import type { Database } from '../../../database/database.ts';
import type { Author } from '../../../core/author.ts';
import type { Vault } from '../../../security/vault.ts';
import { auditTrail } from '../audit/index.ts';
import { makeKey, readKeyRing } from './key-ring.ts';
import { insertSigningKey, listSigningKeys, lockSigningKeys, retireSigningKeys } from './queries.ts';
import { LONGEST_LIFETIME_SECONDS } from './token-signer.ts';

/** A process that is not told of a new key goes on with the old one until it reads the keys again: 5 minutes, twice over. */
const SLACK_SECONDS = 10 * 60;

/** Thrown where keys cannot be rotated now; its message says why. */
export class RotationRefusedError extends Error {
  override name = 'RotationRefusedError';
}

export interface Rotation {
  kid: string;
  /** From when on the new key signs. */
  activeFrom: string;
  /** From when on tokens of the keys before it are refused. */
  oldRetireAt: string;
}

/**
 * Makes the signing key that follows on the present one. It is published at once and signs after `activateInSeconds`; the
 * keys before it retire when the last of their tokens has expired. With `revokeOld` the new key signs and the others
 * retire at once, and all tokens in use are refused. Throws {@link RotationRefusedError} where a key is waiting already.
 */
export async function rotateKeys(
  database: Database,
  vault: Vault,
  author: Author,
  { activateInSeconds, revokeOld = false }: { activateInSeconds: number; revokeOld?: boolean },
): Promise<Rotation> {
  return database.transaction(async (transaction) => {
    await lockSigningKeys(transaction);
    // A key sealed with a master key that is not the servers' would stop them all.
    await readKeyRing(transaction, vault);
    const before = await listSigningKeys(transaction);
    if (before.length === 0)
      throw new RotationRefusedError('There is no signing key yet: the first server to start makes one.');
    const waiting = before.find((key) => Date.parse(key.activeFrom) > Date.now());
    if (waiting && !revokeOld)
      throw new RotationRefusedError(
        `The key ${waiting.kid} is waiting already: it signs from ${new Date(waiting.activeFrom).toISOString()} on.`,
      );

    const now = Date.now();
    const at = (seconds: number): string => new Date(now + seconds * 1000).toISOString();
    const activeFrom = at(revokeOld ? 0 : activateInSeconds);
    const oldRetireAt = at(revokeOld ? 0 : activateInSeconds + LONGEST_LIFETIME_SECONDS + SLACK_SECONDS);
    await retireSigningKeys(transaction, oldRetireAt);
    const key = await makeKey(vault, activeFrom);
    await insertSigningKey(transaction, key);
    await auditTrail(transaction, [
      {
        ...author,
        action: revokeOld ? 'signing_key.revoked' : 'signing_key.rotated',
        targetId: key.kid,
        details: { activeFrom, oldKids: before.map(({ kid }) => kid), oldRetireAt },
      },
    ]);
    return { kid: key.kid, activeFrom, oldRetireAt };
  });
}
