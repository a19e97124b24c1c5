import { isGuid } from '../core/ids.ts';
import { withDatabaseAt, type Database } from '../database/database.ts';
import { openArchive, type Archive, type EventSources } from '../features/gameplay/events/index.ts';
import { findTenant, listTenantIds } from '../features/studio/tenants/index.ts';
import { UsageError, withStorage } from './command.ts';

/** The option `--tenant`. Without it, a command works on all tenants. */
export interface TenantOption {
  tenant?: string;
}

/** Throws {@link UsageError} for an option that is not an id. */
export function checkTenantId(tenant: string | undefined): void {
  if (tenant !== undefined && !isGuid(tenant)) throw new UsageError(`"${tenant}" is not the id of a tenant.`);
}

/** The id of the option, or the ids of all tenants. Throws {@link UsageError} if no tenant has the id. */
export async function selectTenantIds(database: Database, tenant: string | undefined): Promise<string[]> {
  const platform = database.forPlatform();
  if (tenant === undefined) return listTenantIds(platform);
  const found = await findTenant(platform, tenant);
  if (!found) throw new UsageError(`No tenant has the id ${tenant}.`);
  return [found.id];
}

/**
 * Runs work for each tenant of the option, with the database and the archive that the settings name. Without the option, it then runs for
 * those that `findOthers` returns.
 */
export async function forEachTenant(
  { tenant }: TenantOption,
  work: (sources: EventSources, tenantId: string) => Promise<void>,
  findOthers?: (archive: Archive, tenantIds: string[]) => Promise<string[]>,
): Promise<void> {
  checkTenantId(tenant);
  await withStorage((url, config) =>
    withDatabaseAt(url, async (database) => {
      const archive = openArchive(config);
      const tenantIds = await selectTenantIds(database, tenant);
      const others = tenant === undefined ? await findOthers?.(archive, tenantIds) : undefined;
      for (const tenantId of [...tenantIds, ...(others ?? [])]) await work({ database, archive }, tenantId);
    }),
  );
}
