import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { base32, matchingStep, otpauthUri, stepAt, totpCode } from './totp.ts';

const secret = Buffer.from('12345678901234567890');

describe('totpCode', () => {
  test('matches the test vectors of RFC 6238 for SHA-1, truncated to 6 digits', () => {
    for (const [seconds, code] of [
      [59, '287082'],
      [1111111109, '081804'],
      [1111111111, '050471'],
      [1234567890, '005924'],
      [2000000000, '279037'],
      [20000000000, '353130'],
    ] as const)
      assert.equal(totpCode(secret, stepAt(seconds * 1000)), code, String(seconds));
  });
});

describe('matchingStep', () => {
  const step = 1000;
  const now = step * 30_000 + 15_000;

  test('accepts the current step and one step on each side', () => {
    for (const near of [step - 1, step, step + 1])
      assert.equal(matchingStep(secret, totpCode(secret, near), now), near);
    for (const far of [step - 2, step + 2])
      assert.equal(matchingStep(secret, totpCode(secret, far), now), undefined);
  });

  test('returns undefined for text that is not a code', () => {
    for (const text of ['', '1', '1234567', 'äöüäöü'])
      assert.equal(matchingStep(secret, text, now), undefined, text);
  });
});

describe('base32', () => {
  test('matches the test vectors of RFC 4648 without padding', () => {
    for (const [text, encoded] of [
      ['', ''],
      ['f', 'MY'],
      ['fo', 'MZXQ'],
      ['foo', 'MZXW6'],
      ['foob', 'MZXW6YQ'],
      ['fooba', 'MZXW6YTB'],
      ['foobar', 'MZXW6YTBOI'],
    ] as const)
      assert.equal(base32(Buffer.from(text)), encoded);
  });
});

describe('otpauthUri', () => {
  test('escapes the label', () => {
    assert.equal(
      otpauthUri({ issuer: 'Guildhall a.example', email: 'a+b@example.com', secret: 'MZXW6' }),
      'otpauth://totp/Guildhall%20a.example:a%2Bb%40example.com' +
        '?secret=MZXW6&issuer=Guildhall%20a.example&algorithm=SHA1&digits=6&period=30',
    );
  });
});
