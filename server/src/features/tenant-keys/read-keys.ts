import type { Querier } from '../../database/database.ts';
import { countKeys, listKeys, type KeyFilter } from './queries.ts';

/** A page of the keys of one kind that a tenant has. */
export async function readKeys(db: Querier, filter: KeyFilter, page: { limit: number; offset: number }) {
  const [items, totalCount] = await Promise.all([listKeys(db, filter, page), countKeys(db, filter)]);
  return { items, limit: page.limit, offset: page.offset, totalCount };
}
