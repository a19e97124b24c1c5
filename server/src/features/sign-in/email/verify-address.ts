import type { Database } from '../../../database/database.ts';
import type { Vault } from '../../../security/vault.ts';
import type { BillingContext } from '../../../core/billing-context.ts';
import { newId } from '../../../core/ids.ts';
import { deleteToken, findToken, lockCredential, lockPlayer, markVerified } from './queries.ts';
import { wrongToken } from './wrong-token.ts';

/**
 * Verifies the address of a sign-up by what was mailed for it. The password stays: whoever has entered the token says that
 * the sign-up was theirs. Throws invalid_credentials.
 */
export async function verifyAddress(
  { database, vault }: { database: Database; vault: Vault },
  billing: BillingContext,
  token: string,
): Promise<{ email: string }> {
  const { tenantId } = billing;
  const hash = vault.fingerprint(token);
  return database.forKey(billing).transaction(async (transaction) => {
    const owner = await findToken(transaction, { tenantId, hash, purpose: 'verify' });
    if (!owner) throw wrongToken();
    // The credential first, as everywhere: who proves the address at the same time deletes the token under its lock.
    const credential = await lockCredential(transaction, owner.email);
    if (credential?.playerId !== owner.playerId || !(await deleteToken(transaction, tenantId, hash)))
      throw wrongToken();
    await lockPlayer(transaction, owner.playerId);
    await markVerified(transaction, { ...owner, authMethodId: newId() });
    return { email: owner.email };
  });
}
