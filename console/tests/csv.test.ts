import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toCsv } from '../src/components/csv.ts';

describe('toCsv', () => {
  test('writes the names of the members, and a line for each record', () => {
    assert.equal(
      toCsv(
        ['day', 'units'],
        [
          { day: '2026-11-27', units: 7 },
          { day: '2026-11-28', units: 0 },
        ],
      ),
      'day,units\r\n2026-11-27,7\r\n2026-11-28,0\r\n',
    );
    assert.equal(toCsv(['keyName', 'units'], [{ keyName: null, units: -1 }]), 'keyName,units\r\n,-1\r\n');
  });

  test('quotes separators, and puts an apostrophe before formulas', () => {
    const names = ['Tide, water', 'the "old" one', 'two\nlines', '=1+1', '＝1', "'quoted", 'a;=1'];
    assert.equal(
      toCsv(
        ['name'],
        names.map((name) => ({ name })),
      ),
      'name\r\n"Tide, water"\r\n"the ""old"" one"\r\n"two\nlines"\r\n\'=1+1\r\n\'＝1\r\n\'\'quoted\r\na;\'=1\r\n',
    );
  });
});
