import type { BillingContext } from '../../../core/billing-context.ts';
import type { MailServices } from '../../messages/mail/index.ts';
import { readTenant, type ProviderSettings } from '../../studio/tenants/index.ts';
import { oneTimeCodeEmail } from './templates/one-time-code.ts';
import { mailCode } from './mail-code.ts';
import { spendMail } from './mail-limits.ts';
import { createCode, type OpenCodeServices } from './open-code.ts';
import type { SentCode } from './queries.ts';

export type SendCodeServices = OpenCodeServices & MailServices & { providerSettings: ProviderSettings };

/** Sends a one-time code of a tenant to an address. Throws provider_not_available, and as {@link createCode} does. */
export async function sendCode(
  services: SendCodeServices,
  { billing, ipAddress }: { billing: BillingContext; ipAddress: string | null },
  email: string,
): Promise<SentCode> {
  const { tenantId } = billing;
  await services.providerSettings.require(tenantId, 'EmailOneTimeCode');
  const home = { tenantId, scope: services.database.forKey(billing), spend: spendMail };
  return createCode(services, home, { email, ipAddress }, async (transaction, codeId, verdict) => {
    const { name } = await readTenant(transaction, tenantId);
    const letter = (code: string) => oneTimeCodeEmail({ game: name, code });
    await mailCode(services, transaction, { tenantId, email, codeId }, letter, verdict);
  });
}
