import { enterScope, type Querier } from '../../../database/database.ts';
import type { Author } from '../../../core/author.ts';
import { requireDisplayName } from '../../../core/display-name.ts';
import { newId } from '../../../core/ids.ts';
import { ProblemError } from '../../../core/problem.ts';
import { slugCandidates } from '../../../core/text.ts';
import { audit } from '../../platform/audit/index.ts';
import { insertTenant, type Tenant } from './queries.ts';
import { requireRoomForNewTenant } from './tenant-limit.ts';

interface NewTenant {
  workspaceId: string;
  name: string;
  slug?: string | undefined;
  hiddenFromDiscovery?: boolean | undefined;
  autoCreateDefinitions?: boolean | undefined;
  isDemo?: boolean;
}

/**
 * Creates a tenant in the caller's transaction, which continues in the scope of the tenant. If no slug is given, the slug is derived
 * from the name. Slugs are unique within a workspace. Throws invalid_request, tenant_limit and slug_taken.
 */
export async function createTenant(transaction: Querier, author: Author, tenant: NewTenant): Promise<Tenant> {
  const { workspaceId, hiddenFromDiscovery = false, autoCreateDefinitions = false, isDemo = false } = tenant;
  requireDisplayName(tenant.name, 'name');
  const id = newId();
  await enterScope(transaction, 'tenant_id', id);
  await requireRoomForNewTenant(transaction, workspaceId);
  const candidates = tenant.slug === undefined ? slugCandidates(tenant.name, 'tenant') : [tenant.slug];
  for (const slug of candidates) {
    const row = { ...tenant, id, slug, hiddenFromDiscovery, autoCreateDefinitions, isDemo };
    const created = await insertTenant(transaction, row);
    if (!created) continue;
    const { name, settings } = created;
    await audit(transaction, {
      ...author,
      action: 'tenant.created',
      workspaceId,
      tenantId: id,
      targetId: id,
      details: { after: { name, slug, hiddenFromDiscovery, settings } },
    });
    return created;
  }
  throw new ProblemError('slug_taken');
}
