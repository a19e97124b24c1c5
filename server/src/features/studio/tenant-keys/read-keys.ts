import type { Database } from '../../../database/database.ts';
import { readPage, type PageRequest } from '../../../core/page.ts';
import { countKeys, listKeys, type KeyFilter } from './queries.ts';

/** A page of the keys of one kind that a tenant has. */
export async function readKeys(database: Database, filter: KeyFilter, page: PageRequest) {
  const db = database.forTenant(filter.tenantId);
  return readPage(page, listKeys(db, filter, page), countKeys(db, filter));
}
