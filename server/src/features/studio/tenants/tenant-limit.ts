import { lockUntilCommit } from '../../../database/advisory-locks.ts';
import { enterScope, type Querier } from '../../../database/database.ts';
import { ProblemError } from '../../../core/problem.ts';
import { countActiveTenants, countTenants } from './queries.ts';

/** The limit for each workspace. */
const MAX_TENANTS = 1_000;
/** Disabled tenants are listed and counted too. With 300,000 of them, a page of the list took 354 ms. */
const MAX_TENANTS_WITH_DISABLED = 10_000;

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

/** Like {@link requireRoomForTenant}, and throws tenant_limit if the workspace has {@link MAX_TENANTS_WITH_DISABLED} tenants in all. */
export async function requireRoomForNewTenant(transaction: Querier, workspaceId: string): Promise<void> {
  await requireRoomForTenant(transaction, workspaceId);
  if ((await countTenants(transaction, workspaceId)) >= MAX_TENANTS_WITH_DISABLED)
    throw new ProblemError(
      'tenant_limit',
      `The workspace has ${MAX_TENANTS_WITH_DISABLED} tenants, with disabled ones. Create the tenant in another workspace.`,
    );
}
