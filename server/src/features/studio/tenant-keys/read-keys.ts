import type { Database } from '../../../database/database.ts';
import { readPage, type PageRequest } from '../../../core/page.ts';
import { countKeys, listKeys, type KeyFilter } from './queries.ts';

/** Reads a page of the keys of a tenant, newest first. */
export async function readKeys(database: Database, filter: KeyFilter, page: PageRequest) {
  const tenant = database.forTenant(filter.tenantId);
  return readPage(page, listKeys(tenant, filter, page), countKeys(tenant, filter));
}
