import type { Database } from '../../../database/database.ts';
import { readPage, type PageRequest } from '../../../core/page.ts';
import { countAlerts, listAlerts, type AlertFilter } from './queries.ts';

/** Reads a page of the alerts of all tenants of a workspace, newest first. */
export async function readAlerts(database: Database, filter: AlertFilter, page: PageRequest) {
  const workspace = database.forWorkspace(filter.workspaceId);
  return readPage(page, listAlerts(workspace, filter, page), countAlerts(workspace, filter));
}
