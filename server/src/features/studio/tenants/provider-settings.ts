import type { ChangeFeed } from '../../../database/change-feed.ts';
import type { Database } from '../../../database/database.ts';
import { createCache } from '../../../database/cache.ts';
import type { Vault } from '../../../security/vault.ts';
import { ProblemError } from '../../../core/problem.ts';
import { mayUseMock, settingNames, type Provider } from './providers.ts';
import { unsealSecrets } from './provider-secrets.ts';
import { listProviderSettings } from './queries.ts';

const REMEMBERED_TENANTS = 10_000;

/** Which sign-in providers tenants have enabled, and how. */
export interface ProviderSettings {
  /**
   * The settings of an enabled provider, its secrets among them. Throws provider_not_available where the tenant has not
   * enabled it or has not set what it needs, and for Mock where the operator does not allow it.
   */
  require(tenantId: string, provider: Provider): Promise<Record<string, unknown>>;
  /** For the process that changes settings: they are read again. */
  invalidate(): void;
}

/** Reads the settings of a tenant once and remembers them until they change. */
export function createProviderSettings(
  database: Database,
  changes: ChangeFeed,
  vault: Vault,
  config: { mockProvider: boolean },
): ProviderSettings {
  const known = createCache<Map<Provider, Record<string, unknown>>>(
    changes,
    ['provider_settings'],
    REMEMBERED_TENANTS,
  );
  const load = async (tenantId: string) => {
    const rows = await listProviderSettings(database.forTenant(tenantId), tenantId);
    const usable = rows.filter((row) => row.enabled && (row.provider !== 'Mock' || mayUseMock(config, row)));
    return new Map(
      usable.map((row) => [row.provider, { ...row.settings, ...unsealSecrets(vault, tenantId, row) }]),
    );
  };

  return {
    async require(tenantId, provider) {
      const enabled = await known.get(tenantId, () => load(tenantId));
      const settings = enabled?.get(provider);
      if (!settings)
        throw new ProblemError('provider_not_available', `${provider} is not enabled for this tenant.`);
      if (settingNames[provider].required.some((name) => settings[name] === undefined))
        throw new ProblemError('provider_not_available', `${provider} is not configured for this tenant.`);
      return settings;
    },
    invalidate: () => known.invalidate(),
  };
}
