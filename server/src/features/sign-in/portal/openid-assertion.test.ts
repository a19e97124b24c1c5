import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { readAssertion, isConfirmation, signInUrl, verificationForm } from './openid-assertion.ts';

const parties = {
  endpoint: 'https://store.example/openid/login',
  identityPrefix: 'https://store.example/openid/id/',
  returnUrl: 'https://portal.example/sign-in/store-a',
  realm: 'https://portal.example/',
};
const state = 'S'.repeat(43);
const now = Date.parse('2026-11-20T10:00:00Z');
const fields = {
  'openid.ns': 'http://specs.openid.net/auth/2.0',
  'openid.mode': 'id_res',
  'openid.op_endpoint': parties.endpoint,
  'openid.claimed_id': `${parties.identityPrefix}76561198000000000`,
  'openid.identity': `${parties.identityPrefix}76561198000000000`,
  'openid.return_to': new URL(signInUrl(parties, state)).searchParams.get('openid.return_to')!,
  'openid.response_nonce': '2026-11-20T10:00:00Zabc+/=',
  'openid.assoc_handle': '1234567890',
  'openid.signed': 'signed,op_endpoint,claimed_id,identity,return_to,response_nonce,assoc_handle',
  'openid.sig': 'dGhlIHNpZ25h+/R1cmU=',
};
const callback = (changes: object = {}) =>
  `${parties.returnUrl}?${new URLSearchParams({ state, ...fields, ...changes }).toString()}`;
const read = (url: string, at = now) => readAssertion(parties, url, at);

describe('readAssertion', () => {
  test('returns the parameters of a genuine callback unchanged', () => {
    const assertion = read(callback());
    assert.ok(assertion);
    const { accountId, nonce } = assertion;
    assert.deepEqual(
      [accountId, nonce, assertion.state],
      ['76561198000000000', '2026-11-20T10:00:00Zabc+/=', state],
    );
    assert.deepEqual(Object.fromEntries(new URLSearchParams(verificationForm(assertion))), {
      ...fields,
      'openid.mode': 'check_authentication',
    });
  });

  test('accepts a nonce that differs from the clock by up to five minutes', () => {
    for (const seconds of [-300, 300]) {
      assert.ok(read(callback(), now + seconds * 1000), String(seconds));
      assert.equal(read(callback(), now + seconds * 1000 + Math.sign(seconds)), undefined, String(seconds));
    }
  });

  test('accepts values of up to 2,048 characters', () => {
    assert.ok(read(callback({ 'openid.sig': 'x'.repeat(2048) })));
    assert.equal(read(callback({ 'openid.sig': 'x'.repeat(2049) })), undefined);
  });

  test('refuses every change of one character in known values, and never throws', () => {
    const checked = callback().indexOf('openid.response_nonce');
    fc.assert(
      fc.property(fc.nat(checked - 1), fc.string({ maxLength: 2, unit: 'binary' }), (index, insertion) => {
        const honest = callback();
        const altered = honest.slice(0, index) + insertion + honest.slice(index + 1);
        // A parameter with a percent-encoded letter is the same parameter.
        const same = (url: string) =>
          url.slice(0, url.indexOf('?')) +
          JSON.stringify([...new URLSearchParams(url.slice(url.indexOf('?') + 1))]);
        const result = read(altered);
        assert.ok(result === undefined || same(altered) === same(honest), altered);
      }),
      { numRuns: 2000 },
    );
  });

  test('never throws for arbitrary input', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (name, value) => {
        read(name);
        read(`${parties.returnUrl}?${name}`);
        read(`${callback()}&${name}=${value}`);
        assert.equal(typeof isConfirmation(value), 'boolean');
      }),
    );
  });
});

describe('isConfirmation', () => {
  test('is true only for is_valid:true on its own line', () => {
    const ns = 'ns:http://specs.openid.net/auth/2.0';
    for (const yes of [`${ns}\nis_valid:true\n`, `is_valid:true\n${ns}\n`, `${ns}\nis_valid:true`])
      assert.equal(isConfirmation(yes), true, yes);
    for (const no of [
      '',
      'is_valid:true',
      `${ns}\nis_valid:false\n`,
      `${ns}\nis_valid:true \n`,
      `${ns}\n is_valid:true\n`,
      `${ns}\nis_valid:true\n\n`,
      `${ns}\nx:is_valid:true\n`,
      `${ns}\nis_valid:true\nis_valid:false\n`,
      `${ns}\nis_valid:true\nnonsense\n`,
    ])
      assert.equal(isConfirmation(no), false, JSON.stringify(no));
  });
});
