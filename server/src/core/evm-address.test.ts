import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { evmAddress } from './evm-address.ts';

// The examples of EIP-55.
const CHECKSUMMED = [
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0xde709f2102306220921060314715629080e2fb77',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
];

describe('evmAddress', () => {
  test('accepts lower case, upper case and a valid checksum', () => {
    for (const address of CHECKSUMMED) {
      const digits = address.slice(2);
      for (const text of [address, `0x${digits.toLowerCase()}`, `0x${digits.toUpperCase()}`])
        assert.equal(evmAddress(text), address);
    }
  });

  test('rejects a wrong checksum, a wrong length, other digits and the zero address', () => {
    for (const text of [
      '0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe',
      '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed0',
      '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeg',
      '5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      ' 0xde709f2102306220921060314715629080e2fb77',
      '0xde709f2102306220921060314715629080e2fb77\n',
      `0x${'0'.repeat(40)}`,
      'ada.eth',
      '',
    ])
      assert.equal(evmAddress(text), undefined, text);
  });
});
