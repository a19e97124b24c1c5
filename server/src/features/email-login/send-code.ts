import type { Charge } from '../../shared/charge.ts';
import type { MailServices } from '../mail/index.ts';
import { readTenant, type ProviderSettings } from '../tenants/index.ts';
import { oneTimeCodeLetter } from './letters/one-time-code.ts';
import { mailCode } from './mail-code.ts';
import { spendMail } from './mail-limits.ts';
import { openCode, type OpenCodeServices } from './open-code.ts';
import type { SentCode } from './queries.ts';

export type SendCodeServices = OpenCodeServices & MailServices & { providerSettings: ProviderSettings };

/** Sends a one-time code of a tenant to an address. Throws provider_not_available, and as {@link openCode} does. */
export async function sendCode(
  services: SendCodeServices,
  { charge, ipAddress }: { charge: Charge; ipAddress: string | null },
  email: string,
): Promise<SentCode> {
  const { tenantId } = charge;
  await services.providerSettings.require(tenantId, 'EmailOneTimeCode');
  const home = { tenantId, scope: services.database.forKey(charge), spend: spendMail };
  return openCode(services, home, { email, ipAddress }, async (transaction, codeId, verdict) => {
    const { name } = await readTenant(transaction, tenantId);
    const letter = (code: string) => oneTimeCodeLetter({ game: name, code });
    await mailCode(services, transaction, { tenantId, email, codeId }, letter, verdict);
  });
}
