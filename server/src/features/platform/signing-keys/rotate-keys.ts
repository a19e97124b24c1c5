import { lockUntilCommit } from '../../../database/advisory-locks.ts';
import type { Database } from '../../../database/database.ts';
import type { Author } from '../../../core/author.ts';
import { OperatorError } from '../../../core/operator-error.ts';
import type { Vault } from '../../../security/vault.ts';
import { audit } from '../audit/index.ts';
import { checkMasterKey, generateSigningKey } from './key-ring.ts';
import { insertSigningKey, listSigningKeys, retireSigningKeys } from './queries.ts';
import { MAX_TOKEN_LIFETIME_SECONDS } from './token-signer.ts';

/** A process that misses the notification of a new key reloads the keys after 5 minutes. This is twice that time. */
const PROPAGATION_SECONDS = 10 * 60;

/** The longest time that a new key is published before it signs. */
export const MAX_ACTIVATION_SECONDS = 7 * 24 * 60 * 60;

/** Thrown if the keys cannot be rotated now. The message contains the reason. */
export class RotationRefusedError extends OperatorError {
  override name = 'RotationRefusedError';
}

export interface Rotation {
  kid: string;
  /** The time at which the new key starts to sign. */
  activeFrom: string;
  /** The time after which the tokens of the old keys are rejected. */
  oldRetireAt: string;
}

/**
 * Creates the next signing key. It is published immediately and signs after `activateInSeconds`. The old keys retire after their
 * last token has expired. If `revokeOld` is true, the new key signs immediately, the old keys retire immediately, and all
 * current tokens are rejected. Throws {@link RotationRefusedError} if a new key is already waiting to become active.
 */
export async function rotateKeys(
  database: Database,
  vault: Vault,
  author: Author,
  { activateInSeconds, revokeOld = false }: { activateInSeconds: number; revokeOld?: boolean },
): Promise<Rotation> {
  return database.transaction(async (transaction) => {
    await lockUntilCommit(transaction, 'signingKeys');
    // The servers could not decrypt a key that another master key encrypted.
    await checkMasterKey(transaction, vault);
    const before = await listSigningKeys(transaction);
    if (before.length === 0)
      throw new RotationRefusedError(
        'The database has no signing key yet. Start a server first: it creates one.',
      );
    const waiting = before.find((key) => Date.parse(key.activeFrom) > Date.now());
    if (waiting && !revokeOld)
      throw new RotationRefusedError(
        `The key ${waiting.kid} is waiting already. It starts to sign at ${new Date(waiting.activeFrom).toISOString()}.`,
      );

    const now = Date.now();
    const at = (seconds: number): string => new Date(now + seconds * 1000).toISOString();
    const activeFrom = at(revokeOld ? 0 : activateInSeconds);
    const oldRetireAt = at(
      revokeOld ? 0 : activateInSeconds + MAX_TOKEN_LIFETIME_SECONDS + PROPAGATION_SECONDS,
    );
    await retireSigningKeys(transaction, oldRetireAt);
    const key = await generateSigningKey(vault, activeFrom);
    await insertSigningKey(transaction, key);
    await audit(transaction, {
      ...author,
      action: revokeOld ? 'signing_key.revoked' : 'signing_key.rotated',
      targetId: key.kid,
      details: { activeFrom, oldKids: before.map(({ kid }) => kid), oldRetireAt },
    });
    return { kid: key.kid, activeFrom, oldRetireAt };
  });
}
