import { isUtf8 } from 'node:buffer';
import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import { bytesInSlices } from '../../../core/event-loop.ts';
import { ProblemError } from '../../../core/problem.ts';
import { csvColumns, type CsvColumn } from './csv-cells.ts';

/** 2 MB (spec: limits), as a computer counts. */
export const LARGEST_SHEET = 2 * 1024 * 1024;
/** Without the header and rows that are blank. */
export const MOST_ROWS = 5_000;
/** The seven that are known, and some without a name, which spreadsheets add at the end. */
const MOST_COLUMNS = 32;
/** Of a row. One that has more cells than the header has columns is an error of that row. */
const MOST_CELLS = 1_000;
/** Of one row. The longest row that is valid has some 4 KiB. */
const LARGEST_RECORD = 32 * 1024;
/** Bytes that are parsed in one turn of the event loop, in 3 ms. */
const SLICE = 16 * 1024;

const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** A row of a sheet that is not blank. */
export interface CsvRow {
  /** As a spreadsheet counts, blank rows and the header included. */
  rowNumber: number;
  /** A column that the sheet does not have is missing; a cell that the row does not have is empty. */
  cells: Partial<Record<CsvColumn, string>>;
  /** Whether it holds something behind the last column. */
  isTooLong: boolean;
}

/**
 * Reads the rows of a CSV file (spec: CSV import rules 1, 2, 3 and 7), in many turns of the event loop. Rows are not judged; a
 * file that is no sheet of definitions as a whole throws csv_malformed, csv_header, csv_too_large.
 */
export async function readDefinitionCsv(file: Buffer, needed: { id: boolean }): Promise<CsvRow[]> {
  const rows: CsvRow[] = [];
  let header: (CsvColumn | undefined)[] | undefined;

  const text = utf8Of(file);
  refuseWideRows(text);
  await parseCsv(text, (record, rowNumber) => {
    if (!header) {
      header = readHeader(record, needed);
      return;
    }
    if (record.every(isBlank)) return;
    if (rows.length === MOST_ROWS)
      throw new ProblemError('csv_too_large', `The file has more than ${MOST_ROWS} rows.`);
    const nameless = record.slice(0, header.length).findIndex((cell, at) => !header![at] && !isBlank(cell));
    if (nameless >= 0)
      throw new ProblemError(
        'csv_header',
        `Column ${nameless + 1} has no name in the header, but row ${rowNumber} has something in it.`,
      );
    const cells: CsvRow['cells'] = {};
    for (const [at, column] of header.entries()) if (column) cells[column] = record[at] ?? '';
    rows.push({ rowNumber, cells, isTooLong: !record.slice(header.length).every(isBlank) });
  });

  if (!header) throw new ProblemError('csv_malformed', 'The file is empty.');
  return rows;
}

/** The file without its byte order mark. Throws csv_malformed for one that is no text. */
function utf8Of(file: Buffer): Buffer {
  if (!isUtf8(file) || file.includes(0))
    throw new ProblemError('csv_malformed', 'The file is no UTF-8 text. Save it as CSV in UTF-8.');
  return BYTE_ORDER_MARK.equals(file.subarray(0, 3)) ? file.subarray(3) : file;
}

const [LF, CR, QUOTE, COMMA] = [10, 13, 34, 44];

/**
 * Refuses a header of too many columns, and rows of too many cells, before anything is parsed: the parser's work on a row grows
 * faster than the row. Reads 2 MiB in 5 ms. Throws csv_header, csv_too_large.
 */
function refuseWideRows(text: Buffer): void {
  let [row, cells, isQuoted, isHeader] = [1, 1, false, true];
  for (let at = 0; at < text.length; at++) {
    const byte = text[at];
    if (byte === QUOTE) isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (byte === COMMA) {
      if (++cells <= (isHeader ? MOST_COLUMNS : MOST_CELLS)) continue;
      throw isHeader
        ? new ProblemError(
            'csv_header',
            `The header has more than ${MOST_COLUMNS} columns. Remove those without a name.`,
          )
        : new ProblemError('csv_too_large', `Row ${row} has more than ${MOST_CELLS} cells.`);
    } else if (byte === LF || byte === CR) {
      if (byte === LF && text[at - 1] === CR) continue;
      // Lines before the header are empty.
      if (!isEmptyLine(text, at)) isHeader = false;
      row++;
      cells = 1;
    }
  }
}

/** Whether the line that ends at a line break holds nothing. */
function isEmptyLine(text: Buffer, end: number): boolean {
  return end === 0 || text[end - 1] === LF || text[end - 1] === CR;
}

/** Calls back for each record, with the number of its row: lines that are empty are counted, but are no records. */
async function parseCsv(
  file: Buffer,
  onRecord: (record: string[], rowNumber: number) => void,
): Promise<void> {
  const parser = parse({
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: LARGEST_RECORD,
    on_record(record: string[], { records, empty_lines: emptyLines }) {
      onRecord(record, records + emptyLines);
      // The parser keeps no record.
      return null;
    },
  });
  try {
    await pipeline(bytesInSlices(file, SLICE), parser.resume());
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const { records, empty_lines: emptyLines } = error as unknown as { records: number; empty_lines: number };
    const row = records + emptyLines + 1;
    if (error.code !== 'CSV_MAX_RECORD_SIZE')
      throw new ProblemError(
        'csv_malformed',
        `The quotation marks are wrong in row ${row}, or in one that it begins.`,
      );
    throw new ProblemError(
      records === 0 ? 'csv_header' : 'csv_too_large',
      `Row ${row} has more than ${LARGEST_RECORD} bytes.`,
    );
  }
}

function readHeader(record: string[], needed: { id: boolean }): (CsvColumn | undefined)[] {
  const names = record.map((name) => name.trim().toLowerCase());
  if (names.every((name) => name === '')) throw new ProblemError('csv_header', 'The header is empty.');

  const header = names.map((name, at) => {
    if (name === '') return undefined;
    const column = name === 'event_definition_id' ? 'id' : csvColumns.find((known) => known === name);
    if (column) return column;
    const shown = record[at]!.trim();
    throw new ProblemError(
      'csv_header',
      `The column “${shown.length > 64 ? `${shown.slice(0, 64)}…` : shown}” is unknown. Known are ${csvColumns.join(', ')}.`,
    );
  });
  for (const column of csvColumns) {
    if (header.indexOf(column) !== header.lastIndexOf(column))
      throw new ProblemError('csv_header', `The column ${column} is there twice.`);
  }
  for (const column of ['event_key', 'event_value'] as const)
    if (!header.includes(column)) throw new ProblemError('csv_header', `The column ${column} is missing.`);
  if (needed.id && !header.includes('id'))
    throw new ProblemError(
      'csv_header',
      'With overwriteExisting the column id (or event_definition_id) is needed.',
    );
  return header;
}

function isBlank(cell: string): boolean {
  return cell.trim() === '';
}
