import { codePoints, normaliseKey } from '../../../core/text.ts';
import {
  DEFINITION_SCOPES,
  MAX_CATEGORY_LENGTH,
  MAX_DESCRIPTION_LENGTH,
  MAX_KEY_LENGTH,
  type DefinitionPair,
  type DefinitionScope,
  type MutableFields,
} from './definition.ts';
import { readCell, type CsvColumn } from './csv-cells.ts';
import type { CsvRow } from './read-csv.ts';

/** A valid row of an import, normalised. */
export interface CheckedRow {
  rowNumber: number;
  /** Undefined if the cell is empty or the file has no such column. */
  definitionId: string | undefined;
  pair: DefinitionPair;
  /**
   * An empty category or description is null. An empty scope or state is absent, because a definition always has one. A
   * field without a column in the file is also absent.
   */
  fields: Partial<MutableFields>;
}

/** A row that failed, with the reason and its readable cells. */
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

/** Reads and validates a row. `errors` is empty if the row is valid. */
export function checkRow({ rowNumber, cells, isTooLong }: CsvRow): { row: CheckedRow; errors: string[] } {
  const errors: string[] = [];
  const requireLength = (column: CsvColumn, text: string | null, most: number): void => {
    if (codePoints(text ?? '') > most) errors.push(`${column} must not have more than ${most} characters`);
  };
  const pair = {
    eventKey: normaliseKey(readCell(cells.event_key ?? '')),
    eventValue: normaliseKey(readCell(cells.event_value ?? '')) || null,
  };
  if (pair.eventKey === '') errors.push('event_key must not be empty');
  requireLength('event_key', pair.eventKey, MAX_KEY_LENGTH);
  requireLength('event_value', pair.eventValue, MAX_KEY_LENGTH);

  const fields: Partial<MutableFields> = {};
  const scope = cells.event_scope?.trim().toLowerCase();
  if (scope) {
    if (isScope(scope)) fields.eventScope = scope;
    else errors.push('event_scope must be match, player or both');
  }
  if (cells.event_category !== undefined) {
    fields.eventCategory = readCell(cells.event_category).trim() || null;
    requireLength('event_category', fields.eventCategory, MAX_CATEGORY_LENGTH);
  }
  if (cells.event_description !== undefined) {
    fields.eventDescription = readCell(cells.event_description) || null;
    requireLength('event_description', fields.eventDescription, MAX_DESCRIPTION_LENGTH);
  }
  const state = cells.is_active?.trim().toLowerCase();
  if (state) {
    const isActive = STATES.get(state);
    if (isActive === undefined) errors.push('is_active must be true or false');
    else fields.isActive = isActive;
  }
  if (isTooLong)
    errors.push('there are more cells than the header has columns: put text with a comma in quotes');

  return {
    row: { rowNumber, definitionId: cells.id?.trim().toLowerCase() || undefined, pair, fields },
    errors,
  };
}

/** Builds the error of a failed row, with the cells that are not empty. */
export function createRowError({ rowNumber, cells }: CsvRow, message: string): RowError {
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

function isScope(text: string): text is DefinitionScope {
  return (DEFINITION_SCOPES as readonly string[]).includes(text);
}
