import { codePoints } from '../../../core/text.ts';
import {
  eventScopes,
  faultsOf,
  LONGEST_CATEGORY,
  LONGEST_DESCRIPTION,
  normalisePair,
  type DefinitionPair,
  type EventScope,
  type MutableFields,
} from './definition.ts';
import { readCell, type CsvColumn } from './csv-cells.ts';
import type { CsvRow } from './read-csv.ts';

/** What a row of an import says, in normal form. */
export interface CheckedRow {
  rowNumber: number;
  /** Its cell; undefined where that is empty, or the column missing. */
  definitionId: string | undefined;
  pair: DefinitionPair;
  /**
   * What it says of a definition. A category or description that is empty is null. A scope or state that is empty is not
   * said, for a definition always has one; nor is what the sheet has no column for.
   */
  fields: Partial<MutableFields>;
}

/** A row that failed, and why, with what could be read of it. */
export interface RowError {
  rowNumber: number;
  message: string;
  definitionId?: string;
  eventKey?: string;
  eventValue?: string;
  eventScope?: string;
  eventCategory?: string;
  eventDescription?: string;
  isActive?: boolean;
}

const STATES = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/** What a row says, and what is wrong with it; no faults where nothing is. */
export function checkRow({ rowNumber, cells, isTooLong }: CsvRow): { row: CheckedRow; faults: string[] } {
  const pair = normalisePair(readCell(cells.event_key ?? ''), readCell(cells.event_value ?? ''));
  const faults = faultsOf(pair).map(({ path, message }) => `${columnOf[path]} ${message}`);
  const fields: Partial<MutableFields> = {};

  const scope = cells.event_scope?.trim().toLowerCase();
  if (scope) {
    if (isScope(scope)) fields.eventScope = scope;
    else faults.push('event_scope must be match, player or both');
  }
  if (cells.event_category !== undefined) {
    fields.eventCategory = readCell(cells.event_category).trim() || null;
    if (codePoints(fields.eventCategory ?? '') > LONGEST_CATEGORY)
      faults.push(`event_category must not have more than ${LONGEST_CATEGORY} characters`);
  }
  if (cells.event_description !== undefined) {
    fields.eventDescription = readCell(cells.event_description) || null;
    if (codePoints(fields.eventDescription ?? '') > LONGEST_DESCRIPTION)
      faults.push(`event_description must not have more than ${LONGEST_DESCRIPTION} characters`);
  }
  const state = cells.is_active?.trim().toLowerCase();
  if (state) {
    const isActive = STATES.get(state);
    if (isActive === undefined) faults.push('is_active must be true or false');
    else fields.isActive = isActive;
  }
  if (isTooLong)
    faults.push('there are more cells than the header has columns: a text with a comma needs quotes');

  return {
    row: { rowNumber, definitionId: cells.id?.trim().toLowerCase() || undefined, pair, fields },
    faults,
  };
}

/** A row that failed, with its cells as far as they say something. */
export function rowError({ rowNumber, cells }: CsvRow, message: string): RowError {
  const error: RowError = { rowNumber, message };
  for (const [column, member] of members) {
    const text = readCell(cells[column] ?? '');
    if (text.trim() !== '') error[member] = text;
  }
  const isActive = STATES.get(cells.is_active?.trim().toLowerCase() ?? '');
  if (isActive !== undefined) error.isActive = isActive;
  return error;
}

const members = [
  ['id', 'definitionId'],
  ['event_key', 'eventKey'],
  ['event_value', 'eventValue'],
  ['event_scope', 'eventScope'],
  ['event_category', 'eventCategory'],
  ['event_description', 'eventDescription'],
] as const satisfies [CsvColumn, keyof RowError][];

const columnOf: Record<string, CsvColumn> = { eventKey: 'event_key', eventValue: 'event_value' };

function isScope(text: string): text is EventScope {
  return (eventScopes as readonly string[]).includes(text);
}
