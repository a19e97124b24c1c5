import { isUtf8 } from 'node:buffer';
import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import { bytesInSlices, inBackground } from '../../../core/concurrency/event-loop.ts';
import { ProblemError } from '../../../core/problem.ts';
import { csvColumns, type CsvColumn } from './csv-cells.ts';

export const MAX_CSV_BYTES = 2 * 1024 * 1024;
/** Excludes the header and blank rows. */
export const MAX_ROWS = 5_000;
/** The seven known columns, and some columns without a name that spreadsheets add at the end. */
const MAX_COLUMNS = 32;
/** A row with more cells fails the whole file. */
const MAX_CELLS_PER_ROW = 1_000;
/** The longest valid row has about 4 KiB. */
const MAX_ROW_BYTES = 32 * 1024;
/** Bytes that one turn of the event loop parses. They take 3 ms. */
const BYTES_PER_TURN = 16 * 1024;
/** One file is parsed at a time. If its slices belonged to its tenant, other work of the tenant would delay the files of all tenants. */
const SLICE_OWNER = 'CSV files';

const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** A row of the CSV file that is not blank. */
export interface CsvRow {
  /** The row number that a spreadsheet shows: it counts blank rows and the header. */
  rowNumber: number;
  /** The cells by column. If the row is too short, its last cells are empty. */
  cells: Partial<Record<CsvColumn, string>>;
  /** Whether the row has a cell that is not blank after the last column. */
  isTooLong: boolean;
}

/**
 * Reads the rows of a CSV file without blocking the event loop. Does not validate the rows. Throws `csv_malformed`,
 * `csv_header` or `csv_too_large` if the file as a whole is invalid.
 */
export async function readDefinitionCsv(file: Buffer, needed: { id: boolean }): Promise<CsvRow[]> {
  const rows: CsvRow[] = [];
  let header: (CsvColumn | undefined)[] | undefined;

  const text = requireUtf8(file);
  rejectWideRows(text);
  await parseCsv(text, (record, rowNumber) => {
    if (!header) {
      header = readHeader(record, needed);
      return;
    }
    if (record.every(isBlank)) return;
    if (rows.length === MAX_ROWS)
      throw new ProblemError('csv_too_large', `The file has more than ${MAX_ROWS} rows.`);
    const unnamed = record.slice(0, header.length).findIndex((cell, at) => !header![at] && !isBlank(cell));
    if (unnamed >= 0)
      throw new ProblemError(
        'csv_header',
        `Column ${unnamed + 1} has no name in the header, but row ${rowNumber} has a value in it.`,
      );
    const cells: CsvRow['cells'] = {};
    for (const [at, column] of header.entries()) if (column) cells[column] = record[at] ?? '';
    rows.push({ rowNumber, cells, isTooLong: !record.slice(header.length).every(isBlank) });
  });

  if (!header) throw new ProblemError('csv_malformed', 'The file is empty.');
  return rows;
}

/** Removes the byte order mark. Throws `csv_malformed` if the file is not UTF-8 text, or has a NUL character, which no text may have. */
function requireUtf8(file: Buffer): Buffer {
  if (!isUtf8(file))
    throw new ProblemError('csv_malformed', 'The file is not UTF-8 text. Save it as CSV in UTF-8.');
  if (file.includes(0))
    throw new ProblemError(
      'csv_malformed',
      'The file contains a NUL character. Remove it. If the file is UTF-16, save it as CSV in UTF-8.',
    );
  return BYTE_ORDER_MARK.equals(file.subarray(0, 3)) ? file.subarray(3) : file;
}

const [LF, CR, QUOTE, COMMA] = [10, 13, 34, 44];

/**
 * Rejects a header with too many columns and rows with too many cells before the file is parsed, because the parser takes
 * more than linear time for a long row. Scans 2 MiB in 5 ms. Throws `csv_header` and `csv_too_large`.
 */
function rejectWideRows(text: Buffer): void {
  let [row, cells, isQuoted, isHeader] = [1, 1, false, true];
  for (let at = 0; at < text.length; at++) {
    const byte = text[at];
    if (byte === QUOTE) isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (byte === COMMA) {
      if (++cells <= (isHeader ? MAX_COLUMNS : MAX_CELLS_PER_ROW)) continue;
      throw isHeader
        ? new ProblemError(
            'csv_header',
            `The header has more than ${MAX_COLUMNS} columns. Remove the columns without a name.`,
          )
        : new ProblemError('csv_too_large', `Row ${row} has more than ${MAX_CELLS_PER_ROW} cells.`);
    } else if (byte === LF || byte === CR) {
      if (byte === LF && text[at - 1] === CR) continue;
      // All lines before the header are empty.
      if (!isEmptyLine(text, at)) isHeader = false;
      row++;
      cells = 1;
    }
  }
}

/** Returns whether the line that ends at a line break is empty. */
function isEmptyLine(text: Buffer, end: number): boolean {
  return end === 0 || text[end - 1] === LF || text[end - 1] === CR;
}

/** Calls `onRecord` for each record. The row number also counts empty lines, which are not records. */
async function parseCsv(
  file: Buffer,
  onRecord: (record: string[], rowNumber: number) => void,
): Promise<void> {
  const parser = parse({
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MAX_ROW_BYTES,
    on_record(record: string[], { records, empty_lines: emptyLines }) {
      onRecord(record, records + emptyLines);
      // Null keeps the parser from collecting the records.
      return null;
    },
  });
  try {
    await pipeline(inBackground(bytesInSlices(SLICE_OWNER, file, BYTES_PER_TURN)), parser.resume());
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const { records, empty_lines: emptyLines } = error as unknown as { records: number; empty_lines: number };
    const row = records + emptyLines + 1;
    if (error.code !== 'CSV_MAX_RECORD_SIZE')
      throw new ProblemError(
        'csv_malformed',
        `The quotation marks are invalid in row ${row}, or in the quoted cell that begins there.`,
      );
    throw new ProblemError(
      records === 0 ? 'csv_header' : 'csv_too_large',
      `Row ${row} has more than ${MAX_ROW_BYTES} bytes.`,
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
    // In some countries, spreadsheets save CSV with semicolons.
    const hasOtherSeparator = record.length === 1 && /[;\t]/.test(shown);
    throw new ProblemError(
      'csv_header',
      `The column “${shown.length > 64 ? `${shown.slice(0, 64)}…` : shown}” is unknown. ` +
        (hasOtherSeparator
          ? 'Save the file with commas between the cells.'
          : `Known columns: ${csvColumns.join(', ')}.`),
    );
  });
  for (const column of csvColumns) {
    if (header.indexOf(column) !== header.lastIndexOf(column))
      throw new ProblemError('csv_header', `The column ${column} occurs twice.`);
  }
  for (const column of ['event_key', 'event_value'] as const)
    if (!header.includes(column)) throw new ProblemError('csv_header', `The column ${column} is missing.`);
  if (needed.id && !header.includes('id'))
    throw new ProblemError(
      'csv_header',
      'With overwriteExisting, the column id (or event_definition_id) is required.',
    );
  return header;
}

function isBlank(cell: string): boolean {
  return cell.trim() === '';
}
