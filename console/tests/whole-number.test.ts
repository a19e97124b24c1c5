import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkWholeNumber, editWholeNumber, parseWholeNumber } from '../src/components/whole-number.ts';

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

describe('editWholeNumber', () => {
  test('accepts a digit that is added to groups or removed from them', () => {
    assert.equal(editWholeNumber(60_000, '60,000', '60,0001'), 600_001);
    assert.equal(editWholeNumber(60_000, '60,000', '60,00'), 6_000);
  });

  test('refuses wrong groups that are pasted or typed', () => {
    assert.equal(editWholeNumber(60_000, '60,000', '1,5'), '1,5');
    assert.equal(editWholeNumber(1, '1', '1,'), '1,');
    assert.equal(editWholeNumber('1,', '1,', '1,5'), '1,5');
  });
});
