import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { parseSignature } from 'viem';
import { arrangeTenant } from '../../../testing/arrange.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { signChallenge, someWallet } from '../../../testing/wallets.ts';

const app = await startTestApp();
const tenant = await arrangeTenant(app, { providers: ['EvmWallet'] });

const verify = (body: object) => app.http.post('/api/player-auth/wallet/verify', body, tenant);

const alterations: Record<string, (message: string, other: string) => string> = {
  domain: (message) => message.replace('guildhall.test wants', 'guildhall.evil wants'),
  scheme: (message) => `https://${message}`,
  address: (message, other) => message.replace(/0x[0-9a-fA-F]{40}/, other),
  'spelling of the address': (message) =>
    message.replace(/0x[0-9a-fA-F]{40}/, (match) => match.toLowerCase()),
  statement: (message) => message.replace('Sign in to', 'Sign into'),
  URI: (message) => message.replace('URI: http://guildhall.test', 'URI: http://guildhall.test/x'),
  version: (message) => message.replace('Version: 1', 'Version: 2'),
  chain: (message) => message.replace('Chain ID: 1', 'Chain ID: 137'),
  'issued-at': (message) => message.replace(/Issued At: \d{4}/, 'Issued At: 2020'),
  expiry: (message) => message.replace(/Expiration Time: \d{4}/, 'Expiration Time: 2999'),
  'no expiry': (message) => message.replace(/\nExpiration Time: .*/, ''),
  'a second nonce': (message) => `${message}\nNonce: ${'a'.repeat(32)}`,
  'not before': (message) => `${message}\nNot Before: 2020-01-01T00:00:00Z`,
  'line ends': (message) => message.replaceAll('\n', '\r\n'),
  'white space': (message) => `${message}\n`,
};

describe('POST /api/player-auth/wallet/verify', () => {
  for (const [what, alter] of Object.entries(alterations)) {
    test(`returns 401 for a changed message and uses the nonce up: ${what}`, async () => {
      for (const signs of ['altered', 'issued']) {
        const { wallet, nonce, message, signature } = await signChallenge(app, tenant);
        const altered = alter(message, someWallet().address);
        assert.notEqual(altered, message);
        const ofAltered = await wallet.signMessage({ message: altered });
        const answer = await verify({
          message: altered,
          signature: signs === 'altered' ? ofAltered : signature,
        });
        assert.deepEqual([answer.status, answer.body.code], [401, 'invalid_credentials'], signs);
        const { rowCount } = await app.owner.query('SELECT FROM wallet_challenges WHERE nonce = $1', [nonce]);
        assert.equal(rowCount, 0);
        assert.equal((await verify({ message, signature })).status, 401);
      }
    });
  }

  const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const word = (value: bigint) => value.toString(16).padStart(64, '0');
  const malformations: Record<string, (signature: string) => string> = {
    'no prefix': (signature) => signature.slice(2),
    'a digit less': (signature) => signature.slice(0, -1),
    'two bytes less': (signature) => signature.slice(0, -4),
    'a byte more': (signature) => `${signature}00`,
    'no bytes': () => '0x',
    'no digits': (signature) => `${signature.slice(0, -2)}zz`,
    'white space': (signature) => `${signature} `,
    'v of 26': (signature) => `${signature.slice(0, -2)}1a`,
    'v of 29': (signature) => `${signature.slice(0, -2)}1d`,
    'v of 2': (signature) => `${signature.slice(0, -2)}02`,
    'v of 255': (signature) => `${signature.slice(0, -2)}ff`,
    'the other v': (signature) => signature.slice(0, -2) + (signature.endsWith('1b') ? '1c' : '1b'),
    'r of zero': (signature) => `0x${word(0n)}${signature.slice(66)}`,
    's of zero': (signature) => `${signature.slice(0, 66)}${word(0n)}1b`,
    'r of the order': (signature) => `0x${word(ORDER)}${signature.slice(66)}`,
    's of the order': (signature) => `${signature.slice(0, 66)}${word(ORDER)}1b`,
    'the larger s': (signature) => {
      const { r, s, yParity } = parseSignature(signature as `0x${string}`);
      return `${r}${word(ORDER - BigInt(s))}${yParity === 0 ? '1c' : '1b'}`;
    },
    'zeros only': () => `0x${'0'.repeat(130)}`,
    'ones only': () => `0x${'f'.repeat(130)}`,
    'compact zeros': () => `0x${'0'.repeat(128)}`,
    'compact ones': () => `0x${'f'.repeat(128)}`,
    'random bytes': () => `0x${randomBytes(64).toString('hex')}1b`,
    'as long as may be': () => `0x${'ab'.repeat(8191)}`,
    'an envelope of ERC-6492': (signature) => `${signature}${'6492'.repeat(16)}`,
  };

  for (const [what, malform] of Object.entries(malformations)) {
    test(`returns 401 for a malformed signature: ${what}`, async () => {
      const { message, signature } = await signChallenge(app, tenant);
      const answer = await verify({ message, signature: malform(signature) });
      assert.deepEqual([answer.status, answer.body.code], [401, 'invalid_credentials'], answer.text);
    });
  }
});
