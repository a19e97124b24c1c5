import type { Database } from '../../database/database.ts';
import type { FullDefinition } from './definition.ts';
import { countDefinitions, listDefinitions as list } from './queries.ts';

export interface ListRequest {
  includeInactive: boolean;
  paged: boolean;
  limit: number;
  offset: number;
}

/** The definitions of a tenant by key and value: the whole list, or the page that was asked for. */
export async function listDefinitions(
  database: Database,
  tenantId: string,
  { includeInactive, paged, limit, offset }: ListRequest,
): Promise<
  FullDefinition[] | { items: FullDefinition[]; limit: number; offset: number; totalCount: number }
> {
  const tenant = database.forTenant(tenantId);
  if (!paged) return list(tenant, tenantId, includeInactive);
  const [items, totalCount] = await Promise.all([
    list(tenant, tenantId, includeInactive, { limit, offset }),
    countDefinitions(tenant, tenantId, includeInactive),
  ]);
  return { items, limit, offset, totalCount };
}
