import type { Database, Querier } from '../../../database/database.ts';
import { requestedMailQueue, type MailServices } from '../../messages/mail/index.ts';
import type { Identity } from '../login/index.ts';
import {
  createPortalSession,
  findLinkedPlayer,
  PORTAL_TENANT_ID,
  type PortalSessionServices,
} from '../portal/index.ts';
import type { IssuedTokens } from '../tokens/index.ts';
import { deleteCode, type SentCode } from './code-queries.ts';
import { lockCredential } from './credential-queries.ts';
import { portalCodeEmail } from './email-templates.ts';
import { spendPortalMail } from './mail-limits.ts';
import {
  checkCode,
  createCode,
  emailCodeIdentity,
  invalidCode,
  mailCode,
  type CheckCodeServices,
  type CreateCodeServices,
} from './one-time-codes.ts';

export const portalCodeQueue = requestedMailQueue<{ email: string; codeId: string }>('portal-code');

/** Creates a portal code and enqueues its email, for any address. Throws the errors of {@link createCode}. */
export function requestPortalCode(
  services: CreateCodeServices & MailServices,
  ipAddress: string | null,
  email: string,
): Promise<SentCode> {
  const scope = services.database.forTenant(PORTAL_TENANT_ID);
  const issuer = { tenantId: PORTAL_TENANT_ID, scope, spend: spendPortalMail };
  return createCode(services, issuer, { email, ipAddress }, (transaction, codeId) =>
    services.jobs.add(transaction, portalCodeQueue, { email, codeId }),
  );
}

/** The worker's part: mails the code if an active player has verified the address. */
export async function mailPortalCode(
  services: MailServices & { database: Database },
  { email, codeId }: { email: string; codeId: string },
): Promise<void> {
  const { database } = services;
  if (!(await findLinkedPlayer(database, emailCodeIdentity(email)))) return;
  await database
    .forTenant(PORTAL_TENANT_ID)
    .transaction((transaction) =>
      mailCode(services, transaction, { tenantId: PORTAL_TENANT_ID, email, codeId }, portalCodeEmail),
    );
}

/**
 * Opens a portal session with a code. It creates no player, and a refused exchange does not use the code up. Throws one
 * invalid_credentials for every reason, and too_many_attempts.
 */
export async function exchangePortalCode(
  services: PortalSessionServices & CheckCodeServices,
  given: { ipAddress: string | null; email: string; code: string },
): Promise<IssuedTokens> {
  const { email } = given;
  const codeId = await checkCode(services, PORTAL_TENANT_ID, given);
  return createPortalSession(services, emailCodeIdentity(email), async (transaction) => {
    // Every transaction locks the credential first. This order prevents deadlocks.
    const credential = await lockCredential(transaction, email);
    if (!credential?.isVerified || !(await deleteCode(transaction, PORTAL_TENANT_ID, email, codeId)))
      throw invalidCode();
  });
}

/**
 * Checks a portal code and counts the attempt. Call `use` first in the transaction that the code authorizes: it uses the code up.
 * Both throw invalid_credentials, and this function too_many_attempts.
 */
export async function verifyPortalCode(
  services: CheckCodeServices,
  given: { ipAddress: string | null; email: string; code: string },
): Promise<{ identity: Identity; use(transaction: Querier): Promise<void> }> {
  const { email } = given;
  const codeId = await checkCode(services, PORTAL_TENANT_ID, given);
  return {
    identity: emailCodeIdentity(email),
    async use(transaction) {
      // Every transaction locks the credential first. This order prevents deadlocks.
      await lockCredential(transaction, email);
      if (!(await deleteCode(transaction, PORTAL_TENANT_ID, email, codeId))) throw invalidCode();
    },
  };
}
