import pLimit from 'p-limit';
import type { Querier } from '../../../database/database.ts';
import type { Author } from '../../../core/author.ts';
import { inBackground, inSlices } from '../../../core/concurrency/event-loop.ts';
import { isGuid } from '../../../core/ids.ts';
import { checkRow, createRowError, type CheckedRow, type RowError } from './check-row.ts';
import type { DefinitionServices } from './manage-definitions.ts';
import { MAX_DEFINITIONS, pairKey, type FullDefinition } from './definition.ts';
import { findDefinitionsByPair, lockDefinitions } from './queries.ts';
import { readDefinitionCsv } from './read-csv.ts';
import {
  addDefinitions,
  changeDefinitions,
  type DefinitionChange,
  type AuditAuthor,
} from './write-definitions.ts';

interface ImportResult {
  totalRows: number;
  created: number;
  updated: number;
  failed: number;
  errors: RowError[];
}

/** Parsing is CPU work: several files at once are not faster, and they delay other requests more. */
const oneFileAtATime = pLimit(1);

/** Rows that one turn of the event loop checks or looks up. */
const ROWS_PER_TURN = 500;

/** Records the reason why a row fails. */
type RejectRow = (row: CheckedRow, message: string) => void;

/**
 * Creates definitions from the rows of a CSV file. With `overwriteExisting`, changes the definitions whose IDs the rows give.
 * Rows that fail are reported, and all other rows are written in one transaction. Throws the errors of
 * {@link readDefinitionCsv}. docs/definitions.md describes the rules.
 */
export async function importDefinitions(
  { database, definitions }: DefinitionServices,
  tenantId: string,
  { file, overwriteExisting }: { file: Buffer; overwriteExisting: boolean },
  author: Author,
): Promise<ImportResult> {
  const csvRows = await oneFileAtATime(() => readDefinitionCsv(file, { id: overwriteExisting }));
  const failures = new Map<number, string>();
  const rows: CheckedRow[] = [];
  for await (const slice of inBackground(inSlices(tenantId, csvRows, ROWS_PER_TURN)))
    for (const one of slice) {
      const { row, errors } = checkRow(one);
      if (errors.length === 0) rows.push(row);
      else failures.set(one.rowNumber, `${errors.join('; ')}.`);
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
    written = csvRows.length - failures.size;
    definitions.invalidateDefinitions(tenantId);
  }
  return {
    totalRows: csvRows.length,
    created: overwriteExisting ? 0 : written,
    updated: overwriteExisting ? written : 0,
    failed: failures.size,
    errors: csvRows.flatMap((row) => {
      const message = failures.get(row.rowNumber);
      return message === undefined ? [] : [createRowError(row, message)];
    }),
  };
}

/** Creates definitions. Ignores IDs, and rejects rows whose definition exists. */
async function create(
  transaction: Querier,
  tenantId: string,
  rows: CheckedRow[],
  author: AuditAuthor,
  reject: RejectRow,
): Promise<void> {
  const firsts = rejectDuplicates(rows, keyOf, (row, { rowNumber }) =>
    reject(row, `Row ${rowNumber} has the same key and value.`),
  );
  const { existing, overLimit } = await addDefinitions(
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
    MAX_DEFINITIONS,
    author,
  );
  const reasons = new Map<string, string>();
  for (const one of existing) reasons.set(pairKey(one), 'A definition with this key and value exists.');
  for (const one of overLimit)
    reasons.set(pairKey(one), `A tenant may have at most ${MAX_DEFINITIONS} event definitions.`);
  for (const row of firsts) {
    const reason = reasons.get(keyOf(row));
    if (reason) reject(row, reason);
  }
}

/** Changes the definitions with the given IDs. Ignores new keys and values. */
async function overwrite(
  transaction: Querier,
  tenantId: string,
  rows: CheckedRow[],
  author: AuditAuthor,
  reject: RejectRow,
): Promise<void> {
  const withId = rows.filter(hasId);
  for (const row of rows) if (!hasId(row)) reject(row, 'The row has no id. Overwriting needs one.');
  const firsts = rejectDuplicates(withId, idOf, (row, { rowNumber }) =>
    reject(row, `Row ${rowNumber} has the same id.`),
  );
  const byId = new Map<string, FullDefinition>();
  // All transactions lock rows in the order of their IDs, which prevents deadlocks.
  for await (const ids of inSlices(tenantId, firsts.map(idOf).filter(isGuid).toSorted(), ROWS_PER_TURN))
    for (const definition of await lockDefinitions(transaction, tenantId, ids))
      byId.set(definition.id, definition);
  const owners = new Map<string, string>();
  for await (const slice of inSlices(tenantId, firsts, ROWS_PER_TURN)) {
    const pairs = slice.map((row) => row.pair);
    for (const one of await findDefinitionsByPair(transaction, tenantId, pairs))
      owners.set(pairKey(one), one.id);
  }

  const changes: DefinitionChange[] = [];
  for (const row of firsts) {
    const definition = byId.get(idOf(row));
    const owner = owners.get(keyOf(row));
    if (!definition) reject(row, 'The tenant has no definition with this id.');
    else if (owner !== undefined && owner !== definition.id)
      reject(row, `Another definition has this key and value: ${owner}.`);
    else changes.push({ definition, changes: row.fields });
  }
  await changeDefinitions(transaction, tenantId, changes, author);
}

/** Rejects each row with the same key as an earlier row. Returns the other rows. */
function rejectDuplicates<Row extends CheckedRow>(
  rows: Row[],
  keyOfRow: (row: Row) => string,
  reject: (row: Row, first: Row) => void,
): Row[] {
  const firsts = new Map<string, Row>();
  for (const row of rows) {
    const first = firsts.get(keyOfRow(row));
    if (first) reject(row, first);
    else firsts.set(keyOfRow(row), row);
  }
  return [...firsts.values()];
}

const keyOf = ({ pair }: CheckedRow): string => pairKey(pair);

type RowWithId = CheckedRow & { definitionId: string };
const hasId = (row: CheckedRow): row is RowWithId => row.definitionId !== undefined;
const idOf = ({ definitionId }: RowWithId): string => definitionId;
