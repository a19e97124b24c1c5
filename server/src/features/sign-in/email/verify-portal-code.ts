import type { Database, Querier } from '../../../database/database.ts';
import type { Vault } from '../../../security/vault.ts';
import type { Identity } from '../login/index.ts';
import { PORTAL } from '../portal/index.ts';
import { deleteCode, lockCredential } from './queries.ts';
import { tryCode, wrongCode } from './try-code.ts';

/**
 * Finds out whether somebody has the portal code of an address, with a try counted. `use` uses the code up, as the first thing of
 * the transaction that it is for. Both throw invalid_credentials.
 */
export async function verifyPortalCode(
  services: { database: Database; vault: Vault },
  { email, code }: { email: string; code: string },
): Promise<{ identity: Identity; use(transaction: Querier): Promise<void> }> {
  const { codeId } = await tryCode(services, PORTAL, { email }, code);
  return {
    identity: { provider: 'EmailOneTimeCode', issuer: '', providerUserId: email, email },
    async use(transaction) {
      // The credential first, as everywhere, so that none waits for another in a circle.
      await lockCredential(transaction, email);
      if (!(await deleteCode(transaction, PORTAL, email, codeId))) throw wrongCode();
    },
  };
}
