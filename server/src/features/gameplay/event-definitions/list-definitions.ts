import type { Database } from '../../../database/database.ts';
import { inChunks } from '../../../core/in-chunks.ts';
import { readPage, type Page, type PageRequest } from '../../../core/page.ts';
import type { DefinitionFilter, FullDefinition } from './definition.ts';
import { countDefinitions, listDefinitions, listDefinitionsAfter } from './queries.ts';

/** Reads a page of the definitions of a tenant, sorted by key and value. */
export async function readDefinitionPage(
  database: Database,
  tenantId: string,
  filter: DefinitionFilter,
  page: PageRequest,
): Promise<Page<FullDefinition>> {
  const tenant = database.forTenant(tenantId);
  return readPage(
    page,
    listDefinitions(tenant, tenantId, filter, page),
    countDefinitions(tenant, tenantId, filter),
  );
}

/** Definitions per query. It bounds the memory that a long list takes. */
export const CHUNK = 500;

/** Yields all definitions of a tenant after `last` in chunks, sorted by key and value. */
export function iterateDefinitions(
  database: Database,
  tenantId: string,
  filter: DefinitionFilter,
  last?: FullDefinition,
): AsyncGenerator<FullDefinition[]> {
  const tenant = database.forTenant(tenantId);
  return inChunks(CHUNK, (after) => listDefinitionsAfter(tenant, tenantId, filter, after, CHUNK), last);
}

/** Yields the definitions of a tenant as the text of a JSON array. `first` is the chunk that was already read. */
export async function* streamDefinitionsAsJson(
  database: Database,
  tenantId: string,
  filter: DefinitionFilter,
  first: FullDefinition[],
): AsyncGenerator<string> {
  yield `[${toJsonItems(first)}`;
  for await (const chunk of iterateDefinitions(database, tenantId, filter, first.at(-1)))
    if (chunk.length > 0) yield `,${toJsonItems(chunk)}`;
  yield ']';
}

function toJsonItems(chunk: FullDefinition[]): string {
  return chunk.map((definition) => JSON.stringify(definition)).join(',');
}
