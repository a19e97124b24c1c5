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

/**
 * Where a spreadsheet begins a formula. East Asian keyboards type the full-width forms. In countries where semicolons separate the cells,
 * a spreadsheet also begins a cell after a semicolon or a line break in the text. An apostrophe is no formula, but it must be restored too.
 */
const FORMULA = String.raw`^(?=[=+\-@\t\r\n＝＋－＠'])|(?<=[;\t\r\n])(?=[=+\-@＝＋－＠'])`;
const UNPROTECTED = new RegExp(FORMULA, 'g');
const PROTECTED = new RegExp(FORMULA.replaceAll('(?=', "'(?="), 'g');

/**
 * Puts an apostrophe before each part of a text that a spreadsheet would run as a formula. A part that already begins with an
 * apostrophe also gets one, so that {@link readCell} restores both exactly.
 */
export function protectCell(text: string): string {
  return text.replace(UNPROTECTED, "'");
}

/** Reverses {@link protectCell}. Returns other cells unchanged. */
export function readCell(cell: string): string {
  return cell.replace(PROTECTED, '');
}
