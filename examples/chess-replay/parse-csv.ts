/** Parses CSV (RFC 4180) with a header line. Returns one object per row. */
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

/** A quoted or bare cell, and its end: a comma, a line end, or the end of the text. */
const CELL = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\n|\r|$)/y;

function readRows(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  CELL.lastIndex = 0;
  while (CELL.lastIndex < text.length || row.length > 0) {
    const at = CELL.lastIndex;
    const match = CELL.exec(text);
    if (!match)
      throw new SyntaxError(`The quotes of CSV row ${rows.length} are not valid (at character ${at}).`);
    const [, quoted, bare = '', end] = match;
    row.push(quoted?.replaceAll('""', '"') ?? bare);
    if (end === ',') continue;
    // An empty line is not a row.
    if (row.length > 1 || row[0] !== '') rows.push(row);
    row = [];
  }
  return rows;
}
