import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPublicAddress } from './addresses.ts';

const walledOff = [
  '127.0.0.1',
  '127.255.255.254',
  '0.0.0.0',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '192.0.0.1',
  '192.0.2.1',
  '198.18.0.1',
  '198.51.100.7',
  '203.0.113.7',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::127.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:10.0.0.1',
  '::ffff:a9fe:a9fe',
  '64:ff9b::7f00:1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::1',
  '2002:7f00:1::',
  '2001::1',
  '2001:db8::1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
  '100::1',
];

test('addresses that are not of the public internet are walled off, in every disguise', () => {
  assert.deepEqual(walledOff.filter(isPublicAddress), []);
});

test('public addresses are open, and what is no address is not', () => {
  const open = [
    '1.1.1.1',
    '8.8.8.8',
    '172.32.0.1',
    '2606:4700:4700::1111',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
  ];
  assert.deepEqual(
    open.filter((address) => !isPublicAddress(address)),
    [],
  );
  assert.equal(isPublicAddress('example.com'), false);
  assert.equal(isPublicAddress(''), false);
});
