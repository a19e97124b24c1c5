import { stringify } from 'csv-stringify/sync';
import type { Database } from '../../database/database.ts';
import type { FullDefinition } from './definition.ts';
import { holdsMoreThanAscii, listDefinitionsAfter } from './queries.ts';
import { protectCell, sheetColumns } from './sheet-cells.ts';

/** Rows that are read at a time: the memory of an export does not grow with the number of definitions. */
const CHUNK = 1_000;

/** By this Excel knows UTF-8; without it, it spoils every letter beyond ASCII. Where there is none, it would only be in the way. */
const BYTE_ORDER_MARK = '\ufeff';

/** The definitions of a tenant as CSV, by key and value, in pieces. What is in it goes in again by import, unchanged. */
export async function* exportDefinitions(
  database: Database,
  tenantId: string,
  includeInactive: boolean,
): AsyncGenerator<string> {
  const tenant = database.forTenant(tenantId);
  const mark = (await holdsMoreThanAscii(tenant, tenantId)) ? BYTE_ORDER_MARK : '';
  yield mark + stringify([sheetColumns]);
  let last: FullDefinition | undefined;
  do {
    const chunk = await listDefinitionsAfter(tenant, tenantId, includeInactive, last, CHUNK);
    yield stringify(chunk.map(cellsOf));
    last = chunk.length === CHUNK ? chunk.at(-1) : undefined;
  } while (last);
}

/** In the order of {@link sheetColumns}. */
function cellsOf(definition: FullDefinition): string[] {
  const { id, eventKey, eventValue, eventScope, eventCategory, eventDescription, isActive } = definition;
  return [
    id,
    protectCell(eventKey),
    protectCell(eventValue ?? ''),
    eventScope,
    protectCell(eventCategory ?? ''),
    protectCell(eventDescription ?? ''),
    String(isActive),
  ];
}
