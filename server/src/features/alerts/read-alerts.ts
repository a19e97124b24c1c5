import type { Database } from '../../database/database.ts';
import { countAlerts, listAlerts, type AlertFilter } from './queries.ts';

/** A page of the alerts of a workspace, over all of its tenants, the newest first. */
export async function readAlerts(
  database: Database,
  filter: AlertFilter,
  page: { limit: number; offset: number },
) {
  const workspace = database.forWorkspace(filter.workspaceId);
  const [items, totalCount] = await Promise.all([
    listAlerts(workspace, filter, page),
    countAlerts(workspace, filter),
  ]);
  return { items, limit: page.limit, offset: page.offset, totalCount };
}
