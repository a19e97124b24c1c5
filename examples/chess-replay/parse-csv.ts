/** Reads CSV (RFC 4180: quoted cells, doubled quotes, line ends inside quotes) with a header line, as one object a row. */
export function parseCsv(text: string): Record<string, string>[] {
  const [header, ...rows] = readRows(text.replace(/^\uFEFF/, ''));
  if (!header) return [];
  return rows.map((row, index) => {
    if (row.length !== header.length) {
      throw new SyntaxError(
        `CSV row ${index + 1} has ${row.length} cells, but the header has ${header.length}.`,
      );
    }
    return Object.fromEntries(header.map((name, column) => [name, row[column]!]));
  });
}

/** A cell, quoted or bare, and what ends it: a comma, a line end, or the end of the text. */
const CELL = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\n|\r|$)/y;

function readRows(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  CELL.lastIndex = 0;
  while (CELL.lastIndex < text.length || row.length > 0) {
    const at = CELL.lastIndex;
    const match = CELL.exec(text);
    if (!match) throw new SyntaxError(`The quotes of CSV row ${rows.length} are not in order (at ${at}).`);
    const [, quoted, bare = '', end] = match;
    row.push(quoted?.replaceAll('""', '"') ?? bare);
    if (end === ',') continue;
    // A line with nothing in it is no row.
    if (row.length > 1 || row[0] !== '') rows.push(row);
    row = [];
  }
  return rows;
}
