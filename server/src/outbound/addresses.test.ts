import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPublicAddress, isPrivateHost } from './addresses.ts';

const notPublic = [
  '127.0.0.1',
  '127.0.0.53',
  '127.255.255.254',
  '0.0.0.0',
  '0.1.2.3',
  '0.255.255.255',
  // The spellings that inet_aton accepts: decimal, octal, hexadecimal and short.
  '2130706433',
  '0x7f000001',
  '017700000001',
  '0x7f.0.0.1',
  '0177.0.0.1',
  '127.1',
  '2852039166',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.0.1',
  '169.254.169.254',
  '169.254.170.2',
  '192.168.255.255',
  '10.255.255.255',
  '100.64.0.1',
  '100.100.100.200',
  '100.127.255.255',
  '192.88.99.1',
  '168.63.129.16',
  '::ffff:168.63.129.16',
  '64:ff9b::a83f:8110',
  '192.31.196.1',
  '192.52.193.1',
  '192.175.48.1',
  '198.19.255.255',
  '239.255.255.250',
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
  '::ffff:169.254.169.254',
  '0:0:0:0:0:ffff:7f00:1',
  '::ffff:0:127.0.0.1',
  '::a9fe:a9fe',
  '64:ff9b::7f00:1',
  '64:ff9b::10.0.0.1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::1',
  '64:ff9b:1::7f00:1',
  '64:ff9b:1:ffff:ffff:ffff:ffff:ffff',
  '2002:7f00:1::',
  '2002:a9fe:a9fe::1',
  '2002:808:808::1',
  '2001::1',
  '2001:0:4136:e378:8000:63bf:3fff:fdd2',
  '2001:2::1',
  '2001:10::1',
  '2001:20::1',
  '2600:1:2:3:0:5efe:7f00:1',
  '2600:1:2:3:200:5efe:a00:1',
  '2001:db8::1',
  '3fff::1',
  '5f00::1',
  'fc00::1',
  'fd00:ec2::254',
  'fdff:ffff::1',
  'fe80::1',
  'fe80::1%eth0',
  'fe80::a9fe:a9fe%1',
  'febf::1',
  'fec0::1',
  'ff02::1',
  'ff0e::1',
  '100::1',
  '100:0:0:1::1',
  '4000::1',
  'e000::1',
];

test('isPublicAddress rejects non-public addresses in every encoding', () => {
  assert.deepEqual(notPublic.filter(isPublicAddress), []);
});

test('isPublicAddress accepts public addresses, and rejects other texts', () => {
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

const privateHosts = [
  ...notPublic
    .filter((address) => !address.includes('%'))
    .map((address) => (address.includes(':') ? `[${address}]` : address)),
  '127.0.0.1.',
  '127.0.0.1..',
  '127.0.0.1:8080',
  '0',
  '00000',
  '1',
  '0x.0x.0',
  '127.0x0.0.01',
  '4294967295',
  '169.254.43518',
  '１２７.0.0.1',
  '①②⑦.0.0.1',
  '127。0。0。1',
  '127．0．0．1',
  '127%2e0%2e0%2e1',
  '%31%32%37.0.0.1',
  'ada@127.0.0.1',
  '8.8.8.8@127.0.0.1',
  '8.8.8.8:80@127.0.0.1:8080',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'localhost%2e',
  'ⓛocalhost',
  'ｌｏｃａｌｈｏｓｔ',
  'any.localhost',
  'any.localhost.',
];

test('isPrivateHost recognizes every spelling of a private host', () => {
  assert.ok(privateHosts.length >= 100);
  const open = privateHosts.filter((host) => !isPrivateHost(new URL(`http://${host}/`).hostname));
  assert.deepEqual(open, []);
  for (const host of [
    '8.8.8.8',
    '[2606:4700:4700::1111]',
    'example.com',
    'localhost.example.com',
    'notlocalhost',
  ])
    assert.equal(isPrivateHost(new URL(`http://${host}/`).hostname), false, host);
});
