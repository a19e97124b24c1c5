import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkWholeNumber, parseWholeNumber } from '../src/components/whole-number.ts';

describe('parseWholeNumber', () => {
  for (const text of ['60000', '60.000', '60,000', '60 000', ' 60000 ', '60\u202f000'])
    test(`reads ${JSON.stringify(text)} as 60000`, () => assert.equal(parseWholeNumber(text), 60_000));

  test('reads several groups', () => assert.equal(parseWholeNumber('2.147.483.647'), 2_147_483_647));

  for (const text of ['-5', '1.5', '1e3', '1,5000', '1.000,000', '1234,567', '.5', '+1', '0x10', '1.000.'])
    test(`keeps ${text}, which is refused`, () => {
      assert.equal(parseWholeNumber(text), text);
      assert.equal(checkWholeNumber(text), 'Enter a whole number.');
    });

  test('keeps an empty text, which is no error', () => {
    assert.equal(parseWholeNumber(' '), '');
    assert.equal(checkWholeNumber(''), null);
  });
});
