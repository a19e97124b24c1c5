import type { Database } from '../../../database/database.ts';
import type { Vault } from '../../../security/vault.ts';
import { unsealSecrets } from './provider-secrets.ts';
import { providers, settingNames, type Provider } from './providers.ts';
import { listProviderSettings, type ProviderSettingsRow } from './queries.ts';

/** The settings of a provider that the API returns. For example, `hasWebApiKey` replaces `webApiKey`. */
export interface ProviderView {
  provider: Provider;
  enabled: boolean;
  /** Whether all required settings have a value. */
  isConfigured: boolean;
  settings: Record<string, unknown>;
  /** Null if the tenant never configured the provider. */
  updatedAt: string | null;
}

/** Returns all providers with the settings of a tenant. */
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

/** Converts a stored row to its public form. A provider without a row is disabled and has no settings. */
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
