import type { Database } from '../../database/database.ts';
import { readPage, type Page, type PageRequest } from '../../shared/page.ts';
import type { FullDefinition } from './definition.ts';
import { countDefinitions, listDefinitions as list } from './queries.ts';

export interface ListRequest extends PageRequest {
  includeInactive: boolean;
  paged: boolean;
}

/** The definitions of a tenant by key and value: the whole list, or the page that was asked for. */
export async function listDefinitions(
  database: Database,
  tenantId: string,
  { includeInactive, paged, ...page }: ListRequest,
): Promise<FullDefinition[] | Page<FullDefinition>> {
  const tenant = database.forTenant(tenantId);
  if (!paged) return list(tenant, tenantId, includeInactive);
  return readPage(
    page,
    list(tenant, tenantId, includeInactive, page),
    countDefinitions(tenant, tenantId, includeInactive),
  );
}
