import type { Database, Querier } from '../../../database/database.ts';
import type { Vault } from '../../../security/vault.ts';
import type { Identity } from '../login/index.ts';
import { claimForPlayer, deleteCode } from './queries.ts';
import { tryCode, wrongCode } from './try-code.ts';

/** An address whose code somebody has. */
export interface ProvenAddress {
  identity: Identity;
  /**
   * Uses the code up and gives the address to a player, in their scope and as the first thing of a transaction. False where it is
   * another player's. Throws invalid_credentials where the code has been used meanwhile.
   */
  claim(transaction: Querier, playerId: string): Promise<boolean>;
}

/** Finds out whether somebody has the code that was sent to an address, with a try counted. Throws invalid_credentials. */
export async function verifyCode(
  services: { database: Database; vault: Vault },
  { tenantId, email, code }: { tenantId: string; email: string; code: string },
): Promise<ProvenAddress> {
  const { codeId } = await tryCode(services, tenantId, { email }, code);
  return {
    identity: { provider: 'EmailOneTimeCode', issuer: '', providerUserId: email, email },
    async claim(transaction, playerId) {
      if (!(await claimForPlayer(transaction, email, playerId))) return false;
      if (!(await deleteCode(transaction, tenantId, email, codeId))) throw wrongCode();
      return true;
    },
  };
}
