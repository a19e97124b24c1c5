import { createSession, PORTAL, type PortalTokens, type SessionServices } from '../portal/index.ts';
import { deleteCode, lockCredential } from './queries.ts';
import { tryCode, wrongCode } from './try-code.ts';

/**
 * Opens a portal session for whoever has the code that was sent to an address. It creates nobody, and a code that is refused
 * stays. Throws invalid_credentials, whatever is wrong.
 */
export async function exchangePortalCode(
  services: SessionServices,
  { email, code }: { email: string; code: string },
): Promise<PortalTokens> {
  const { database } = services;
  const { codeId } = await tryCode(services, PORTAL, { email }, code);
  return database.forTenant(PORTAL).transaction(async (transaction) => {
    // The credential first, as everywhere, so that none waits for another in a circle.
    const credential = await lockCredential(transaction, email);
    if (!credential?.isVerified || !(await deleteCode(transaction, PORTAL, email, codeId))) throw wrongCode();
    const identity = { provider: 'EmailOneTimeCode', providerUserId: email } as const;
    return createSession({ ...services, database: transaction }, identity);
  });
}
