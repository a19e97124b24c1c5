import { stringify } from 'csv-stringify/sync';
import type { Database } from '../../../database/database.ts';
import type { FullDefinition } from './definition.ts';
import { allDefinitions } from './list-definitions.ts';
import { holdsMoreThanAscii } from './queries.ts';
import { protectCell, csvColumns } from './csv-cells.ts';

/** By this Excel knows UTF-8; without it, it spoils every letter beyond ASCII. Where there is none, it would only be in the way. */
const BYTE_ORDER_MARK = '\ufeff';

/** The definitions of a tenant as CSV, by key and value, in pieces. What is in it goes in again by import, unchanged. */
export async function* exportDefinitions(
  database: Database,
  tenantId: string,
  includeInactive: boolean,
): AsyncGenerator<string> {
  const mark = (await holdsMoreThanAscii(database.forTenant(tenantId), tenantId)) ? BYTE_ORDER_MARK : '';
  yield mark + stringify([csvColumns]);
  for await (const chunk of allDefinitions(database, tenantId, includeInactive))
    yield stringify(chunk.map(cellsOf));
}

/** In the order of {@link csvColumns}. */
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
