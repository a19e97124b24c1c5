import type { Querier } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';

export interface ProviderSettingsRow {
  provider: string;
  enabled: boolean;
  settings: Record<string, unknown>;
  /** Sealed JSON of the write-only settings. */
  secrets: Buffer | null;
}

export function listProviderSettings(db: Querier, tenantId: string): Promise<ProviderSettingsRow[]> {
  return db.rows(sql`
    SELECT provider, enabled, settings, secrets FROM provider_settings WHERE tenant_id = ${tenantId}`);
}
