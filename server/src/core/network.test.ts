import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { networkOf, siteOf } from './network.ts';

describe('networkOf', () => {
  test('returns the IPv4 address, or the /64 of an IPv6 address', () => {
    assert.equal(networkOf('192.0.2.1'), '192.0.2.1');
    assert.equal(networkOf('::ffff:192.0.2.1'), '192.0.2.1');
    assert.equal(networkOf('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2');
    assert.equal(networkOf('2001:db8::1'), '2001:db8:0:0');
    assert.equal(networkOf(null), 'unknown');
  });
});

describe('siteOf', () => {
  test('returns the IPv4 address, or the /48 of an IPv6 address', () => {
    assert.equal(siteOf('192.0.2.1'), '192.0.2.1');
    assert.equal(siteOf('2001:db8:1:2:3:4:5:6'), '2001:db8:1');
    assert.equal(siteOf('2001:db8:1:ffff::'), '2001:db8:1');
  });
});
