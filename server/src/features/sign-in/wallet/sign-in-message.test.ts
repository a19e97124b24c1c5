import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createSiweMessage, parseSiweMessage } from 'viem/siwe';
import { nonceOf, statementFor, writeSignInMessage } from './sign-in-message.ts';

const fields = {
  address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  statement: 'Sign in to Chess.',
  chainId: 137,
  nonce: 'ab'.repeat(16),
  issuedAt: '2026-11-20T10:00:00.000Z',
  expiresAt: '2026-11-20T10:05:00.000Z',
} as const;

describe('writeSignInMessage', () => {
  test('returns the same message as viem', () => {
    for (const [issuer, domain] of [
      ['https://play.example.com', 'play.example.com'],
      ['https://play.example.com/guildhall', 'play.example.com'],
      ['http://localhost:8080', 'localhost:8080'],
      ['http://127.0.0.1:8080', '127.0.0.1:8080'],
    ] as const) {
      const { issuedAt, expiresAt, ...same } = fields;
      const expected = createSiweMessage({
        ...same,
        domain,
        uri: issuer,
        version: '1',
        issuedAt: new Date(issuedAt),
        expirationTime: new Date(expiresAt),
      });
      assert.equal(writeSignInMessage({ ...fields, issuer }), expected);
    }
  });

  test('accepts domains that viem refuses', () => {
    for (const [issuer, domain, uri] of [
      ['http://guildhall:8080', 'guildhall:8080', 'http://guildhall:8080'],
      ['http://[::1]:8080', '[::1]:8080', 'http://[::1]:8080'],
      ['https://игра.рф:443', 'xn--80afo7a.xn--p1ai', 'https://xn--80afo7a.xn--p1ai'],
    ] as const) {
      const message = writeSignInMessage({ ...fields, issuer });
      assert.equal(message.split(' ')[0], domain);
      assert.equal(parseSiweMessage(message).uri, uri);
    }
  });
});

describe('statementFor', () => {
  test('names the game, or its slug when EIP-4361 forbids the name', () => {
    const named = (name: string) =>
      statementFor({ name, slug: 'the-slug' }).replace(/\. Signing costs .*$/, '');
    assert.equal(named('Chess (Beta) & more: 1.0!'), 'Sign in to Chess (Beta) & more: 1.0!');
    for (const name of [
      'Schach für alle',
      'Chess\n\nURI: https://evil.example',
      '将棋',
      'A "game"',
      'Chess\u202e',
    ])
      assert.equal(named(name), 'Sign in to the-slug');
  });
});

describe('nonceOf', () => {
  test('finds the nonce in a message, even in a changed one', () => {
    const message = writeSignInMessage({ ...fields, issuer: 'https://play.example.com' });
    assert.equal(nonceOf(message), fields.nonce);
    assert.equal(nonceOf(message.replace('Version: 1', 'Version: 2')), fields.nonce);
    assert.equal(nonceOf(message.replaceAll('\n', '\r\n')), fields.nonce);
    for (const none of [
      '',
      'Nonce: ',
      message.replace(fields.nonce, 'short'),
      message.replace('Nonce', 'nonce'),
    ])
      assert.equal(nonceOf(none), undefined);
  });
});
