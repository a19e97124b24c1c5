import pLimit from 'p-limit';
import type { Querier } from '../../../database/database.ts';
import type { Author } from '../../../core/author.ts';
import { inSlices } from '../../../core/event-loop.ts';
import { isGuid } from '../../../core/ids.ts';
import { checkRow, rowError, type CheckedRow, type RowError } from './check-row.ts';
import type { DefinitionServices } from './create-definition.ts';
import { MOST_DEFINITIONS, pairKey, type FullDefinition } from './definition.ts';
import { findDefinitionsByPair, lockDefinitions } from './queries.ts';
import { readDefinitionCsv } from './read-csv.ts';
import { addDefinitions, changeDefinitions, type WantedChange, type Writer } from './write-definitions.ts';

export interface ImportResult {
  totalRows: number;
  created: number;
  updated: number;
  failed: number;
  errors: RowError[];
}

/** Several files at once would not be read any faster, and each would take its slice of every turn of the event loop. */
const oneAtATime = pLimit(1);

/** Rows that are checked, or looked up, in one turn of the event loop. */
const SLICE = 500;

/** Notes why a row fails. */
type Refuse = (row: CheckedRow, message: string) => void;

/**
 * Creates definitions from the rows of a CSV file or, with `overwriteExisting`, changes those that the rows name by id. A row
 * that fails does not hurt its neighbours; all others are written in one transaction. Throws what {@link readDefinitionCsv} throws.
 */
export async function importDefinitions(
  { database, definitions }: DefinitionServices,
  tenantId: string,
  { file, overwriteExisting }: { file: Buffer; overwriteExisting: boolean },
  author: Author,
): Promise<ImportResult> {
  const sheet = await oneAtATime(() => readDefinitionCsv(file, { id: overwriteExisting }));
  const failures = new Map<number, string>();
  const rows: CheckedRow[] = [];
  for await (const slice of inSlices(sheet, SLICE))
    for (const one of slice) {
      const { row, faults } = checkRow(one);
      if (faults.length === 0) rows.push(row);
      else failures.set(one.rowNumber, `${faults.join('; ')}.`);
    }

  let written = 0;
  if (rows.length > 0) {
    const apply = overwriteExisting ? overwrite : create;
    await database
      .forTenant(tenantId)
      .transaction((transaction) =>
        apply(transaction, tenantId, rows, { ...author, source: 'csv_import' }, (row, message) =>
          failures.set(row.rowNumber, message),
        ),
      );
    written = sheet.length - failures.size;
    definitions.invalidateDefinitions(tenantId);
  }
  return {
    totalRows: sheet.length,
    created: overwriteExisting ? 0 : written,
    updated: overwriteExisting ? written : 0,
    failed: failures.size,
    errors: sheet.flatMap((row) => {
      const message = failures.get(row.rowNumber);
      return message === undefined ? [] : [rowError(row, message)];
    }),
  };
}

/** Rule 4: ids count for nothing, and what exists stays as it is. */
async function create(
  transaction: Querier,
  tenantId: string,
  rows: CheckedRow[],
  writer: Writer,
  refuse: Refuse,
): Promise<void> {
  const firsts = firstOf(rows, keyOf, (row, { rowNumber }) =>
    refuse(row, `Row ${rowNumber} has the same key and value.`),
  );
  const { existing, refused } = await addDefinitions(
    transaction,
    tenantId,
    firsts.map(({ pair, fields }) => ({
      eventScope: 'match',
      eventCategory: null,
      eventDescription: null,
      isActive: true,
      ...pair,
      ...fields,
    })),
    MOST_DEFINITIONS,
    writer,
  );
  const reasons = new Map<string, string>();
  for (const one of existing)
    reasons.set(pairKey(one.eventKey, one.eventValue), 'A definition with this key and value exists.');
  for (const one of refused)
    reasons.set(
      pairKey(one.eventKey, one.eventValue),
      `A tenant may have at most ${MOST_DEFINITIONS} event definitions.`,
    );
  for (const row of firsts) {
    const reason = reasons.get(keyOf(row));
    if (reason) refuse(row, reason);
  }
}

/** Rule 5: the id decides; key and value never change. */
async function overwrite(
  transaction: Querier,
  tenantId: string,
  rows: CheckedRow[],
  writer: Writer,
  refuse: Refuse,
): Promise<void> {
  const named = rows.filter((row) => {
    if (row.definitionId === undefined) refuse(row, 'The row has no id, which overwriting needs.');
    return row.definitionId !== undefined;
  });
  const firsts = firstOf(named, idOf, (row, { rowNumber }) =>
    refuse(row, `Row ${rowNumber} has the same id.`),
  );
  const byId = new Map<string, FullDefinition>();
  // Sorted, so that the slices lock in the order in which every other transaction locks.
  for await (const ids of inSlices(firsts.map(idOf).filter(isGuid).toSorted(), SLICE))
    for (const definition of await lockDefinitions(transaction, tenantId, ids))
      byId.set(definition.id, definition);
  const owners = new Map<string, string>();
  for await (const slice of inSlices(firsts, SLICE)) {
    const pairs = slice.map((row) => row.pair);
    for (const one of await findDefinitionsByPair(transaction, tenantId, pairs))
      owners.set(pairKey(one.eventKey, one.eventValue), one.id);
  }

  const wanted: WantedChange[] = [];
  for (const row of firsts) {
    const definition = byId.get(idOf(row));
    const owner = owners.get(keyOf(row));
    if (!definition) refuse(row, 'The tenant has no definition with this id.');
    else if (owner !== undefined && owner !== definition.id)
      refuse(row, `Another definition has this key and value: ${owner}.`);
    else wanted.push({ definition, changes: row.fields });
  }
  await changeDefinitions(transaction, tenantId, wanted, writer);
}

/** The first row of each name; the others are refused. */
function firstOf(
  rows: CheckedRow[],
  nameOf: (row: CheckedRow) => string,
  refuse: (row: CheckedRow, first: CheckedRow) => void,
): CheckedRow[] {
  const firsts = new Map<string, CheckedRow>();
  for (const row of rows) {
    const first = firsts.get(nameOf(row));
    if (first) refuse(row, first);
    else firsts.set(nameOf(row), row);
  }
  return [...firsts.values()];
}

const keyOf = ({ pair }: CheckedRow): string => pairKey(pair.eventKey, pair.eventValue);
const idOf = ({ definitionId }: CheckedRow): string => definitionId!;
