type Cell = string | number | null | undefined;

/** What a spreadsheet would run as a formula. East Asian keyboards type the full-width forms. */
const FORMULA = /^['=+\-@\t\r\n＝＋－＠]/;

const toCell = (cell: Cell): string => {
  if (typeof cell !== 'string') return String(cell ?? '');
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** Serialises members of records. The first line has their names. An apostrophe comes before text that is a formula. */
export function toCsv<Name extends string>(names: Name[], records: Partial<Record<Name, Cell>>[]): string {
  const lines = [names, ...records.map((record) => names.map((name) => record[name]))];
  return lines.map((line) => `${line.map(toCell).join(',')}\r\n`).join('');
}
