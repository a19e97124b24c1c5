import type { Database } from '../../../database/database.ts';
import { readPage, type Page, type PageRequest } from '../../../core/page.ts';
import type { FullDefinition } from './definition.ts';
import { countDefinitions, listDefinitions, listDefinitionsAfter } from './queries.ts';

/** A page of the definitions of a tenant, by key and value. */
export async function pageOfDefinitions(
  database: Database,
  tenantId: string,
  includeInactive: boolean,
  page: PageRequest,
): Promise<Page<FullDefinition>> {
  const tenant = database.forTenant(tenantId);
  return readPage(
    page,
    listDefinitions(tenant, tenantId, includeInactive, page),
    countDefinitions(tenant, tenantId, includeInactive),
  );
}

/** Definitions that are read at a time: the memory of a list does not grow with its length. */
export const CHUNK = 500;

/** All definitions of a tenant after `last`, by key and value, in chunks. */
export async function* allDefinitions(
  database: Database,
  tenantId: string,
  includeInactive: boolean,
  last?: FullDefinition,
): AsyncGenerator<FullDefinition[]> {
  const tenant = database.forTenant(tenantId);
  let chunk: FullDefinition[];
  do {
    chunk = await listDefinitionsAfter(tenant, tenantId, includeInactive, last, CHUNK);
    yield chunk;
    last = chunk.at(-1);
  } while (chunk.length === CHUNK);
}

/** The definitions of a tenant as a JSON array, in pieces. `first` are those that were read already. */
export async function* definitionsAsJson(
  database: Database,
  tenantId: string,
  includeInactive: boolean,
  first: FullDefinition[],
): AsyncGenerator<string> {
  yield `[${joined(first)}`;
  for await (const chunk of allDefinitions(database, tenantId, includeInactive, first.at(-1)))
    if (chunk.length > 0) yield `,${joined(chunk)}`;
  yield ']';
}

function joined(chunk: FullDefinition[]): string {
  return chunk.map((definition) => JSON.stringify(definition)).join(',');
}
