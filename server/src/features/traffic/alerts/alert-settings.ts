import type { Database } from '../../../database/database.ts';
import type { Author } from '../../../core/author.ts';
import { ProblemError } from '../../../core/problem.ts';
import { audit, difference } from '../../platform/audit/index.ts';
import { findAlertSettings, lockAlertSettings, updateAlertSettings, type AlertSettings } from './queries.ts';

/** Reads the alert thresholds of a tenant. Throws not_found. */
export async function readAlertSettings(database: Database, tenantId: string): Promise<AlertSettings> {
  const settings = await findAlertSettings(database.forTenant(tenantId), tenantId);
  if (!settings) throw new ProblemError('not_found');
  return settings;
}

export interface AlertServices {
  database: Database;
  /** The cache of keys, which includes the thresholds of their tenants. */
  keys: { invalidate(tenantId: string): void };
}

/** Changes the given thresholds of a tenant. Throws not_found. */
export async function changeAlertSettings(
  { database, keys }: AlertServices,
  author: Author,
  tenantId: string,
  change: Partial<AlertSettings>,
): Promise<AlertSettings> {
  const changed = await database.forTenant(tenantId).transaction(async (transaction) => {
    const before = await lockAlertSettings(transaction, tenantId);
    if (!before) throw new ProblemError('not_found');
    const after = { ...before, ...change };
    const details = difference(before, after);
    if (!details) return before;
    await updateAlertSettings(transaction, tenantId, after);
    await audit(transaction, {
      ...author,
      action: 'alert_settings.updated',
      tenantId,
      targetId: tenantId,
      details,
    });
    return after;
  });
  keys.invalidate(tenantId);
  return changed;
}
