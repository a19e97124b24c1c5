type Cell = string | number | null | undefined;

/**
 * Where a spreadsheet would begin a formula. East Asian keyboards type the full-width forms. In countries where semicolons separate the
 * cells, a cell also begins after a semicolon or a line break in the text.
 */
const FORMULA = /^(?=['=+\-@\t\r\n＝＋－＠])|(?<=[;\t\r\n])(?=['=+\-@＝＋－＠])/g;

const toCell = (cell: Cell): string => {
  if (typeof cell !== 'string') return String(cell ?? '');
  const text = cell.replace(FORMULA, "'");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** Serialises members of records. The first line has their names. An apostrophe comes before text that is a formula. */
export function toCsv<Name extends string>(names: Name[], records: Partial<Record<Name, Cell>>[]): string {
  const lines = [names, ...records.map((record) => names.map((name) => record[name]))];
  return lines.map((line) => `${line.map(toCell).join(',')}\r\n`).join('');
}
