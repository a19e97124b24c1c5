import type { Database } from '../../../database/database.ts';
import { hashPassword } from '../../../security/passwords.ts';
import type { Vault } from '../../../security/vault.ts';
import type { BillingContext } from '../../../core/billing-context.ts';
import { newId } from '../../../core/ids.ts';
import { endPlayerSessions } from '../sessions/index.ts';
import { revokePortalSessions } from '../portal/index.ts';
import { CredentialChangedError, proveInTransaction } from './prove-address.ts';
import { deleteToken, deleteTokens, findToken, lockCredential, setPassword } from './queries.ts';
import { wrongToken } from './wrong-token.ts';

/**
 * Sets a new password by a mailed token, which proves the address too. All sessions of the player end, in all tenants and in the
 * portal. Throws invalid_credentials.
 */
export async function resetPassword(
  { database, vault }: { database: Database; vault: Vault },
  billing: BillingContext,
  { token, newPassword }: { token: string; newPassword: string },
): Promise<{ email: string }> {
  const { tenantId } = billing;
  const hash = vault.fingerprint(token);
  const owner = await findToken(database.forTenant(tenantId), { tenantId, hash, purpose: 'reset' });
  if (!owner) throw wrongToken();
  const { email, playerId } = owner;
  const passwordHash = await hashPassword(newPassword);
  try {
    await database.forPlayer(playerId, billing).transaction(async (transaction) => {
      // First, as everywhere, so that none waits for another in a circle.
      await lockCredential(transaction, email);
      if (!(await deleteToken(transaction, tenantId, hash))) throw wrongToken();
      await proveInTransaction(transaction, owner);
      await setPassword(transaction, { email, playerId, passwordHash, authMethodId: newId() });
      await deleteTokens(transaction, playerId);
      await endPlayerSessions(transaction, playerId, 'everywhere', {
        reason: 'kicked',
        message: 'The password was set anew.',
      });
      await revokePortalSessions(transaction, playerId);
    });
  } catch (error) {
    throw error instanceof CredentialChangedError ? wrongToken() : error;
  }
  return { email };
}
