import type { ChangeFeed } from '../../database/change-feed.ts';
import type { Database } from '../../database/database.ts';
import { remember } from '../../database/remembered.ts';
import { Problem } from '../../shared/problem.ts';
import { listProviderSettings, type ProviderSettingsRow } from './queries.ts';

const REMEMBERED_TENANTS = 10_000;

/** Which sign-in providers tenants have enabled, and how. */
export interface ProviderSettings {
  /** The settings of an enabled provider. Throws provider_not_available where the tenant has not enabled it. */
  require(tenantId: string, provider: string): Promise<ProviderSettingsRow>;
}

/** Reads the settings of a tenant once and remembers them until they change. */
export function openProviderSettings(database: Database, changes: ChangeFeed): ProviderSettings {
  const known = remember<Map<string, ProviderSettingsRow>>(
    changes,
    ['provider_settings'],
    REMEMBERED_TENANTS,
  );
  return {
    async require(tenantId, provider) {
      const settings = await known.get(tenantId, async () => {
        const rows = await listProviderSettings(database.forTenant(tenantId), tenantId);
        return new Map(rows.map((row) => [row.provider, row]));
      });
      const found = settings?.get(provider);
      if (!found?.enabled)
        throw new Problem('provider_not_available', `${provider} is not enabled for this tenant.`);
      return found;
    },
  };
}
