import type { Database } from '../../../database/database.ts';
import type { Queue } from '../../../jobs/queue.ts';
import type { MailServices } from '../../messages/mail/index.ts';
import { hasLinkedPlayer, PORTAL } from '../portal/index.ts';
import { portalCodeLetter } from './templates/one-time-code.ts';
import { mailCode } from './mail-code.ts';
import { spendPortalMail } from './mail-limits.ts';
import { createCode, type OpenCodeServices } from './open-code.ts';
import type { SentCode } from './queries.ts';

/** Codes that were opened in the portal. Whose address it is, is looked up by the worker, so that the request tells nothing. */
export const portalCodeQueue: Queue<{ email: string; codeId: string }> = {
  name: 'portal-code',
  retryDelay: 5,
  retryDelayMax: 60,
  retryLimit: 20,
  expireInSeconds: 60,
};

/** The request's part: the same for every address. Throws as {@link createCode} does. */
export function requestPortalCode(
  services: OpenCodeServices & MailServices,
  ipAddress: string | null,
  email: string,
): Promise<SentCode> {
  const home = { tenantId: PORTAL, scope: services.database.forTenant(PORTAL), spend: spendPortalMail };
  return createCode(services, home, { email, ipAddress }, (transaction, codeId) =>
    services.jobs.add(transaction, portalCodeQueue, { email, codeId }),
  );
}

/** The worker's part: makes and mails the code where an active player has proved the address, and else nothing. */
export async function mailPortalCode(
  services: MailServices & { database: Database },
  { email, codeId }: { email: string; codeId: string },
): Promise<void> {
  const { database } = services;
  if (!(await hasLinkedPlayer(database, { provider: 'EmailOneTimeCode', providerUserId: email }))) return;
  await database
    .forTenant(PORTAL)
    .transaction((transaction) =>
      mailCode(services, transaction, { tenantId: PORTAL, email, codeId }, portalCodeLetter),
    );
}
