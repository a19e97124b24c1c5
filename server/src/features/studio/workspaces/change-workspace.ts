import type { Database } from '../../../database/database.ts';
import { isUniqueViolation } from '../../../database/errors.ts';
import type { Author } from '../../../core/author.ts';
import { requireDisplayName } from '../../../core/display-name.ts';
import { ProblemError } from '../../../core/problem.ts';
import { audit, difference } from '../../platform/audit/index.ts';
import { lockWorkspace, updateWorkspace } from './queries.ts';

/** Changes the name or the slug of a workspace. Throws invalid_request, not_found and slug_taken. */
export async function changeWorkspace(
  database: Database,
  author: Author,
  workspaceId: string,
  change: { name?: string; slug?: string },
): Promise<void> {
  if (change.name !== undefined) requireDisplayName(change.name, 'name');
  try {
    await database.forWorkspace(workspaceId).transaction(async (transaction) => {
      const before = await lockWorkspace(transaction, workspaceId);
      if (!before) throw new ProblemError('not_found');
      const { name = before.name, slug = before.slug } = change;
      const details = difference(before, { name, slug });
      if (!details) return;
      await updateWorkspace(transaction, workspaceId, { name, slug });
      await audit(transaction, {
        ...author,
        action: 'workspace.updated',
        workspaceId,
        targetId: workspaceId,
        details,
      });
    });
  } catch (error) {
    throw isUniqueViolation(error, 'workspaces_slug_key') ? new ProblemError('slug_taken') : error;
  }
}
