import { stringify } from 'csv-stringify/sync';
import type { Database } from '../../../database/database.ts';
import type { FullDefinition } from './definition.ts';
import { iterateDefinitions } from './list-definitions.ts';
import { hasNonAsciiText } from './queries.ts';
import { protectCell, csvColumns } from './csv-cells.ts';

/** Excel detects UTF-8 by this mark. Files with ASCII text only omit it, because some parsers read it as part of the header. */
const BYTE_ORDER_MARK = '\ufeff';

/** Yields the definitions of a tenant as CSV, sorted by key and value. The import reads the file back without changes. */
export async function* exportDefinitions(
  database: Database,
  tenantId: string,
  includeInactive: boolean,
): AsyncGenerator<string> {
  const mark = (await hasNonAsciiText(database.forTenant(tenantId), tenantId)) ? BYTE_ORDER_MARK : '';
  yield mark + stringify([csvColumns]);
  for await (const chunk of iterateDefinitions(database, tenantId, { includeInactive }))
    yield stringify(chunk.map(toCells));
}

/** Returns the cells in the order of {@link csvColumns}. */
function toCells(definition: FullDefinition): string[] {
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
