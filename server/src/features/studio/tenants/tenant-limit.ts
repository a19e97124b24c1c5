import { lockUntilCommit } from '../../../database/advisory-locks.ts';
import { enterScope, type Querier } from '../../../database/database.ts';
import { ProblemError } from '../../../core/problem.ts';
import { countActiveTenants } from './queries.ts';

/** The limit for each workspace. */
const MAX_TENANTS = 1_000;

/**
 * Throws tenant_limit if the workspace has {@link MAX_TENANTS} tenants that are not disabled. Other transactions wait with their
 * tenants until this one ends.
 */
export async function requireRoomForTenant(transaction: Querier, workspaceId: string): Promise<void> {
  await enterScope(transaction, 'workspace_id', workspaceId);
  await lockUntilCommit(transaction, 'tenants', workspaceId);
  if ((await countActiveTenants(transaction, workspaceId)) >= MAX_TENANTS)
    throw new ProblemError(
      'tenant_limit',
      `The workspace has ${MAX_TENANTS} tenants that are not disabled. Disable one first.`,
    );
}
