import type { Database } from '../../../database/database.ts';
import { ProblemError } from '../../../core/problem.ts';
import { findQuota, type WorkspaceQuota } from './queries.ts';

/** How much of its plan a workspace has used in the running period, to the unit. Throws not_found. */
export async function readQuota(database: Database, workspaceId: string): Promise<WorkspaceQuota> {
  const quota = await findQuota(database.forWorkspace(workspaceId), workspaceId);
  if (!quota) throw new ProblemError('not_found');
  return quota;
}
