/** The columns of a sheet of definitions, in the order in which they are exported. */
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

/** What a spreadsheet takes for the beginning of a formula: also the wide forms of East Asian keyboards. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
/** What {@link protectCell} puts an apostrophe before. */
const PROTECTED = /^'[=+\-@\t\r\n＝＋－＠']/;

/**
 * A text as a cell that no spreadsheet takes for a formula: it gets an apostrophe in front. So does a text that begins with
 * an apostrophe itself, or {@link readCell} could not tell the two apart.
 */
export function protectCell(text: string): string {
  return FORMULA.test(text) || text.startsWith("'") ? `'${text}` : text;
}

/** The text of a cell: exactly what {@link protectCell} was given. Other cells are as they stand. */
export function readCell(cell: string): string {
  return PROTECTED.test(cell) ? cell.slice(1) : cell;
}
