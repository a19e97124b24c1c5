import type { Database } from '../../../database/database.ts';
import { isUniqueViolation } from '../../../database/errors.ts';
import type { Author } from '../../../core/author.ts';
import { requireDisplayName } from '../../../core/display-name.ts';
import { ProblemError } from '../../../core/problem.ts';
import { audit, difference, type AuditAction } from '../../platform/audit/index.ts';
import {
  lockTenant,
  updateTenant,
  type ChangeableTenant,
  type Tenant,
  type TenantSettings,
} from './queries.ts';
import { requireRoomForTenant } from './tenant-limit.ts';

export interface TenantServices {
  database: Database;
  /** The cache of keys. The keys of a disabled tenant do not work. */
  keys: { invalidate(tenantId: string): void };
  /** The cache of the settings. */
  definitions: { invalidateSettings(tenantId: string): void };
}

/**
 * Changes a tenant. The keys of an inactive tenant do not work. Its data is kept, and it can be activated again. Throws
 * invalid_request, not_found, tenant_limit and slug_taken.
 */
export async function changeTenant(
  { database, keys, definitions }: TenantServices,
  author: Author,
  tenantId: string,
  {
    settings,
    ...change
  }: Partial<Omit<ChangeableTenant, 'settings'>> & { settings?: Partial<TenantSettings> | undefined },
): Promise<Tenant> {
  if (change.name !== undefined) requireDisplayName(change.name, 'name');
  try {
    const changed = await database.forTenant(tenantId).transaction(async (transaction) => {
      const tenant = await lockTenant(transaction, tenantId);
      if (!tenant) throw new ProblemError('not_found');
      const before = changeableFields(tenant);
      const after = changeableFields({
        ...before,
        ...change,
        settings: { ...before.settings, ...settings },
      });
      const details = difference(before, after);
      if (!details) return tenant;
      if (after.isActive && !before.isActive) await requireRoomForTenant(transaction, tenant.workspaceId);
      const updated = await updateTenant(transaction, tenantId, after);
      await audit(transaction, {
        ...author,
        action: actionOf(before, after),
        tenantId,
        targetId: tenantId,
        details,
      });
      return updated;
    });
    if (change.isActive !== undefined) keys.invalidate(tenantId);
    if (settings) definitions.invalidateSettings(tenantId);
    return changed;
  } catch (error) {
    throw isUniqueViolation(error, 'tenants_workspace_id_slug_key') ? new ProblemError('slug_taken') : error;
  }
}

function changeableFields(tenant: ChangeableTenant): ChangeableTenant {
  const { name, slug, hiddenFromDiscovery, isActive, settings } = tenant;
  return { name, slug, hiddenFromDiscovery, isActive, settings };
}

function actionOf(before: ChangeableTenant, after: ChangeableTenant): AuditAction {
  if (before.isActive === after.isActive) return 'tenant.updated';
  return after.isActive ? 'tenant.enabled' : 'tenant.disabled';
}
