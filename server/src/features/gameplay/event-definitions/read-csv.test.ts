import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ProblemError } from '../../../core/problem.ts';
import { MAX_CSV_BYTES, MAX_ROWS, readDefinitionCsv } from './read-csv.ts';

const HEADER = 'event_key,event_value';
const read = (text: string) => readDefinitionCsv(Buffer.from(text), { id: false });
const keys = async (text: string) =>
  (await read(text)).map(({ rowNumber, cells }) => `${rowNumber} ${cells.event_key}`);

/** Returns the code and the detail of the error that the file causes. */
async function readError(file: string | Buffer, id = false): Promise<[string, string]> {
  try {
    await readDefinitionCsv(Buffer.from(file), { id });
  } catch (error) {
    if (error instanceof ProblemError) return [error.code, error.details.detail ?? ''];
    throw error;
  }
  return assert.fail(`the file was accepted: ${String(file)}`);
}

describe('readDefinitionCsv', () => {
  test('accepts headers in any case, order and padding, with a byte order mark', async () => {
    const cells = { event_key: 'k', event_value: 'v', id: 'i', is_active: 'a' };
    for (const header of [
      'event_key,event_value,id,is_active',
      'Event_Key,EVENT_VALUE,Id,IS_active',
      ' event_key , event_value,\tid\t,is_active ',
      '"event_key","event_value","id","is_active"',
      'event_key,event_value,event_definition_id,is_active',
      'event_key,event_value,EVENT_DEFINITION_ID,is_active',
      '\ufeffevent_key,event_value,id,is_active',
      '\ufeff"event_key","event_value",id,is_active',
    ])
      assert.deepEqual(
        await read(`${header}\nk,v,i,a`),
        [{ rowNumber: 2, cells, isTooLong: false }],
        JSON.stringify(header),
      );
  });

  test('throws csv_header with a reason for an invalid header', async () => {
    for (const [header, id, reason] of [
      ['event_key,event_value,colour', false, /“colour” is unknown/],
      ['event_key,event_value,\ufeff\ufeffid,x', false, /“x” is unknown/],
      ['event_key;event_value', false, /“event_key;event_value” is unknown\. Save the file with commas/],
      ['event_key\tevent_value', false, /is unknown\. Save the file with commas/],
      ['event_key,a;b', false, /“a;b” is unknown\. Known columns: id,/],
      ['eventKey,eventValue', false, /“eventKey” is unknown/],
      ['events', false, /“events” is unknown\. Known columns: id,/],
      ['event key,event_value', false, /“event key” is unknown/],
      [`event_key,event_value,${'x'.repeat(500)}`, false, /“x{64}…” is unknown/],
      ['event_key,event_value,__proto__', false, /“__proto__” is unknown/],
      ['event_key,event_value,event_key', false, /event_key occurs twice/],
      ['event_key,event_value,Event_Value', false, /event_value occurs twice/],
      ['event_key,event_value,is_active,is_active', false, /is_active occurs twice/],
      ['event_key,event_value,id,id', false, /id occurs twice/],
      ['event_key,event_value,id,event_definition_id', false, /id occurs twice/],
      ['event_value', false, /event_key is missing/],
      ['event_key', false, /event_value is missing/],
      ['id,event_scope', true, /event_key is missing/],
      ['event_key,event_value', true, /id \(or event_definition_id\) is required/],
      [',', false, /is empty/],
      [' ,"",\t', false, /is empty/],
      ['   ', false, /is empty/],
    ] as const)
      for (const rows of ['', '\n', '\nk,v\n']) {
        const [code, detail] = await readError(header + rows, id);
        assert.equal(code, 'csv_header', header);
        assert.match(detail, reason, header);
      }
  });

  test('accepts a column without a name if it is empty', async () => {
    assert.deepEqual(await keys(`${HEADER},\nk,v,\n`), ['2 k']);
    assert.deepEqual(await keys(`,${HEADER},,\n,k,v, ,\n`), ['2 k']);
    assert.deepEqual(await readError(`event_key,,event_value\nk,,v\nk,lost,v`), [
      'csv_header',
      'Column 2 has no name in the header, but row 3 has a value in it.',
    ]);
  });

  test('skips blank rows but counts them in row numbers', async () => {
    assert.deepEqual(await keys(`\n\n${HEADER}\n\na,\n,\n \nb,\n\n\n`), ['5 a', '8 b']);
    assert.deepEqual(await keys(`${HEADER}\n"a\nx",\nb,\n`), ['2 a\nx', '3 b']);
    assert.deepEqual(await keys(HEADER), []);
    assert.deepEqual(await keys(`${HEADER}\n\n,\n`), []);
  });

  test('accepts all line endings and keeps line breaks in quotes', async () => {
    for (const end of ['\n', '\r\n', '\r'])
      assert.deepEqual(
        await keys([HEADER, 'a,', '', 'b,', ''].join(end)),
        ['2 a', '4 b'],
        JSON.stringify(end),
      );
    assert.deepEqual(await keys(`${HEADER}\r\na,\nb,\rc,\r\nd,`), ['2 a', '3 b', '4 c', '5 d']);
    for (const inside of ['\n', '\r\n', '\r', '""', ',', '\t', 'é', '🎯', '\u2028'])
      assert.equal(
        (await read(`${HEADER}\r\n"x${inside}y",v`))[0]?.cells.event_key,
        `x${inside === '""' ? '"' : inside}y`,
      );
  });

  test('fills short rows with empty cells and marks long rows', async () => {
    const [short, long, padded] = await read(
      `id,${HEADER},event_category\ni,k\ni,k,v,c,more\ni,k,v,c,,  ,\n`,
    );
    assert.deepEqual(short?.cells, { id: 'i', event_key: 'k', event_value: '', event_category: '' });
    assert.deepEqual([short?.isTooLong, long?.isTooLong, padded?.isTooLong], [false, true, false]);
  });

  test('throws csv_malformed for invalid quotes', async () => {
    for (const [rows, row] of [
      ['"a', 2],
      ['a,\n"b', 3],
      ['a,\n\n"b,\nc,d', 4],
      ['a"b,c', 2],
      ['"a"b,c', 2],
      ['"a" ,c', 2],
      [' "a",c', 2],
      ['"a,"",c', 2],
    ] as const) {
      const [code, detail] = await readError(`${HEADER}\n${rows}`);
      assert.equal(code, 'csv_malformed', rows);
      assert.match(detail, new RegExp(`in row ${row},`), rows);
    }
  });

  test('throws csv_malformed for an empty file or a file that is not text', async () => {
    for (const file of ['', '\ufeff', '\n\n', '\r\n'])
      assert.deepEqual(await readError(file), ['csv_malformed', 'The file is empty.'], JSON.stringify(file));
    const utf16 = Buffer.from(`\ufeff${HEADER}\nk,v`, 'utf16le');
    for (const file of [
      utf16,
      utf16.subarray(2),
      Buffer.from(`${HEADER}\nk\0,v`),
      Buffer.concat([Buffer.from(`${HEADER}\nM`), Buffer.from([0xfc]), Buffer.from('ller,')]),
      Buffer.concat([Buffer.from(`${HEADER}\n`), Buffer.from([0xed, 0xa0, 0x80])]),
      Buffer.from('504b0304140006', 'hex'),
    ])
      assert.match(
        (await readError(file))[1],
        /not UTF-8 text|NUL|unknown/,
        file.toString('hex').slice(0, 40),
      );
  });

  test('says that a file contains a NUL character, which is valid UTF-8', async () => {
    assert.deepEqual(await readError(`${HEADER}\nk\0,v`), [
      'csv_malformed',
      'The file contains a NUL character. Remove it. If the file is UTF-16, save it as CSV in UTF-8.',
    ]);
  });

  test('accepts 5,000 rows, without blank rows, and rejects 5,001', async () => {
    const rows = Array.from({ length: MAX_ROWS }, (_, index) => `k${index},\n,\n\n`).join('');
    assert.equal((await read(`${HEADER}\n${rows}`)).length, 5_000);
    assert.deepEqual(await readError(`${HEADER}\n${rows}one more,`), [
      'csv_too_large',
      'The file has more than 5000 rows.',
    ]);
  });

  test('rejects the most expensive files of 2 MiB', async () => {
    assert.equal(MAX_CSV_BYTES, 2 * 1024 * 1024);
    for (const [text, code] of [
      [','.repeat(MAX_CSV_BYTES), 'csv_header'],
      ['\n'.repeat(MAX_CSV_BYTES), 'csv_malformed'],
      ['"'.repeat(MAX_CSV_BYTES), 'csv_header'],
      ['a'.repeat(MAX_CSV_BYTES), 'csv_header'],
      [`${HEADER}\n${'a\n'.repeat(MAX_CSV_BYTES / 2)}`, 'csv_too_large'],
    ] as const)
      assert.equal((await readError(text))[0], code);
    assert.deepEqual(await readError(`${HEADER}\nk,v\n\nk,v${','.repeat(MAX_CSV_BYTES)}x`), [
      'csv_too_large',
      'Row 4 has more than 1000 cells.',
    ]);
  });

  test('keeps multi-byte characters whole at every slice boundary', async () => {
    for (const shift of [0, 1, 2, 3]) {
      const lines = Array.from({ length: 4000 }, (_, index) => `${'x'.repeat(shift)}🎯é${index},`);
      const rows = await read(`${HEADER}\n${lines.join('\n')}`);
      assert.deepEqual(
        rows.map(({ cells }) => `${cells.event_key},`),
        lines,
      );
    }
  });

  test('throws csv_header for more than 32 columns before reading a row', async () => {
    const unnamed = (count: number) => HEADER + ','.repeat(count - 2);
    assert.deepEqual(await keys(`${unnamed(32)}\nk,v\n`), ['2 k']);
    for (const before of ['', '\n', '\n\n', '\r\r', '\r\n\r\n']) {
      const [code, detail] = await readError(`${before}${unnamed(33)}\n"wrong quotes`);
      assert.equal(code, 'csv_header');
      assert.match(detail, /has more than 32 columns/, JSON.stringify(before));
    }
  });

  test('throws csv_too_large for more than 1,000 cells, without commas in quotes', async () => {
    const row = (cells: number) => `k,v${','.repeat(cells - 2)}`;
    assert.deepEqual(
      (await read(`${HEADER}\r\n${row(1_000)}x\r\nk,"${','.repeat(2_000)}"\r\n`)).map(
        ({ isTooLong }) => isTooLong,
      ),
      [true, false],
    );
    for (const end of ['\n', '\r\n', '\r'])
      assert.deepEqual(
        await readError(`${end}${HEADER}${end}${end}${row(1_001)}`),
        ['csv_too_large', 'Row 4 has more than 1000 cells.'],
        JSON.stringify(end),
      );
    const part = `${','.repeat(600)}"\n"`;
    assert.equal(
      (await readError(`${HEADER}\nk,v${part}${part}`))[0],
      'csv_too_large',
      'quoted line breaks do not end a row',
    );
  });

  test('throws csv_too_large for a row of more than 32 KiB', async () => {
    const long = 'x'.repeat(32 * 1024 + 2);
    assert.equal((await read(`${HEADER}\nk,${long.slice(4)}\n`)).length, 1);
    assert.deepEqual(await readError(`${HEADER}\nk,v\nk,${long}\n`), [
      'csv_too_large',
      'Row 3 has more than 32768 bytes.',
    ]);
    assert.deepEqual(await readError(`event_key,${long}`), [
      'csv_header',
      'Row 1 has more than 32768 bytes.',
    ]);
  });

  test('does not block the event loop', async () => {
    const rows = Array.from({ length: MAX_ROWS }, (_, index) => `key ${index},${'v'.repeat(300)}`).join('\n');
    let turns = 0;
    let isRead = false;
    const reading = read(`${HEADER}\n${rows}`).finally(() => (isRead = true));
    while (!isRead) {
      await new Promise(setImmediate);
      turns++;
    }
    assert.equal((await reading).length, MAX_ROWS);
    assert.ok(turns >= 50, `the event loop turned ${turns} times`);
  });
});
