import type { ChangeFeed } from '../../../database/change-feed.ts';
import type { Database } from '../../../database/database.ts';
import { createCache } from '../../../database/cache.ts';
import type { Vault } from '../../../security/vault.ts';
import { ProblemError } from '../../../core/problem.ts';
import { mayUseMock, settingNames, type Provider } from './providers.ts';
import { unsealSecrets } from './provider-secrets.ts';
import { listProviderSettings } from './queries.ts';

const MAX_CACHED_TENANTS = 10_000;

/** The settings of the enabled sign-in providers of all tenants. */
export interface ProviderSettings {
  /**
   * Returns the settings of an enabled provider, including its secrets. Throws provider_not_available if the tenant has not
   * enabled the provider, if a required setting is missing, or if the provider is Mock and the operator does not allow it.
   */
  require(tenantId: string, provider: Provider): Promise<Record<string, unknown>>;
  /** Invalidates the settings of a tenant. A process calls this after it changes them. */
  invalidate(tenantId: string): void;
}

/** Caches the settings of a tenant until a change invalidates them. */
export function createProviderSettings(
  database: Database,
  changes: ChangeFeed,
  vault: Vault,
  config: { mockProvider: boolean },
): ProviderSettings {
  const cache = createCache<Map<Provider, Record<string, unknown>>>({
    name: 'provider_settings',
    changes,
    tables: ['provider_settings', 'tenants'],
    max: MAX_CACHED_TENANTS,
  });
  const load = async (tenantId: string) => {
    const rows = await listProviderSettings(database.forTenant(tenantId), tenantId);
    const usable = rows.filter((row) => row.enabled && (row.provider !== 'Mock' || mayUseMock(config, row)));
    return new Map(
      usable.map((row) => [row.provider, { ...row.settings, ...unsealSecrets(vault, tenantId, row) }]),
    );
  };

  return {
    async require(tenantId, provider) {
      const enabled = await cache.get(tenantId, () => load(tenantId));
      const settings = enabled?.get(provider);
      if (!settings)
        throw new ProblemError(
          'provider_not_available',
          `${provider} is not enabled for this tenant. Enable it in the console, or sign in with another provider.`,
        );
      if (settingNames[provider].required.some((name) => settings[name] === undefined))
        throw new ProblemError(
          'provider_not_available',
          `${provider} is not configured for this tenant. Add its settings in the console, or sign in with another provider.`,
        );
      return settings;
    },
    invalidate: cache.invalidate,
  };
}
