import type { Charge } from '../../shared/charge.ts';
import type { MailServices } from '../mail/index.ts';
import { readTenant, type ProviderSettings } from '../tenants/index.ts';
import { mailCode } from './mail-code.ts';
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
  const home = { tenantId, scope: services.database.forKey(charge) };
  return openCode(services, home, { email, ipAddress }, async (transaction, codeId) => {
    const { name } = await readTenant(transaction, tenantId);
    await mailCode(services, transaction, { tenantId, email, codeId }, name);
  });
}
