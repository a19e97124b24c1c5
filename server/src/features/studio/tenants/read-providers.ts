import type { Database } from '../../../database/database.ts';
import type { Vault } from '../../../security/vault.ts';
import { unsealSecrets } from './provider-secrets.ts';
import { providers, settingNames, type Provider } from './providers.ts';
import { listProviderSettings, type ProviderSettingsRow } from './queries.ts';

/** A tenant's settings of a provider, as they may be shown: `hasWebApiKey` in place of `webApiKey`. */
export interface ProviderView {
  provider: Provider;
  enabled: boolean;
  /** Whether everything is set that the provider needs. */
  isConfigured: boolean;
  settings: Record<string, unknown>;
  /** Null where nothing was ever set. */
  updatedAt: string | null;
}

/** All providers with a tenant's settings of them. */
export async function readProviders(
  database: Database,
  vault: Vault,
  tenantId: string,
): Promise<ProviderView[]> {
  const rows = await listProviderSettings(database.forTenant(tenantId), tenantId);
  return providers.map((provider) =>
    readProvider(
      vault,
      tenantId,
      provider,
      rows.find((row) => row.provider === provider),
    ),
  );
}

/** What may be shown of a stored row, or of a provider that has none. */
export function readProvider(
  vault: Vault,
  tenantId: string,
  provider: Provider,
  row: ProviderSettingsRow | undefined,
): ProviderView {
  const secrets = row ? unsealSecrets(vault, tenantId, row) : {};
  const settings = row?.settings ?? {};
  const known = { ...settings, ...secrets };
  const markers = settingNames[provider].secret.map((name) => [`has${capital(name)}`, name in secrets]);
  return {
    provider,
    enabled: row?.enabled ?? false,
    isConfigured: settingNames[provider].required.every((name) => name in known),
    settings: { ...settings, ...Object.fromEntries(markers) },
    updatedAt: row?.updatedAt ?? null,
  };
}

function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
