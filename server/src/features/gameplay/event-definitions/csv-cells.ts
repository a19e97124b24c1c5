/** The columns of the CSV file, in the order of the export. */
export const csvColumns = [
  'id',
  'event_key',
  'event_value',
  'event_scope',
  'event_category',
  'event_description',
  'is_active',
] as const;
export type CsvColumn = (typeof csvColumns)[number];

/** A cell that a spreadsheet runs as a formula. East Asian keyboards type the full-width forms. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
/** A cell to which {@link protectCell} has added an apostrophe. */
const PROTECTED = /^'[=+\-@\t\r\n＝＋－＠']/;

/**
 * Puts an apostrophe before text that a spreadsheet would run as a formula. Text that already begins with an apostrophe
 * also gets one, so that {@link readCell} restores both exactly.
 */
export function protectCell(text: string): string {
  return FORMULA.test(text) || text.startsWith("'") ? `'${text}` : text;
}

/** Reverses {@link protectCell}. Returns other cells unchanged. */
export function readCell(cell: string): string {
  return PROTECTED.test(cell) ? cell.slice(1) : cell;
}
