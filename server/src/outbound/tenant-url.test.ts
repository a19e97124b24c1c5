import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { tenantUrlError } from './tenant-url.ts';

const faultOf = (url: string) => tenantUrlError(url, { allowPrivateAddresses: false });

const PRIVATE =
  'must not name a private address, unless the operator allows it for tests with ALLOW_PRIVATE_ADDRESSES=on';

describe('tenantUrlError', () => {
  test('accepts a public https URL', () => {
    for (const url of ['https://wallet.example', 'https://wallet.example:8443/keys?x=1', 'https://8.8.8.8/'])
      assert.equal(faultOf(url), undefined, url);
  });

  test('rejects other schemes, credentials and private addresses', () => {
    for (const url of [
      '',
      'wallet.example',
      'http://wallet.example',
      'ftp://wallet.example',
      'https://',
      'https://a b',
    ])
      assert.equal(faultOf(url), 'must be an https address', url);
    for (const url of [
      'https://ada@wallet.example',
      'https://ada:secret@wallet.example',
      'https://:x@wallet.example',
    ])
      assert.equal(faultOf(url), 'must not contain credentials', url);
    for (const host of [
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f.0.0.1',
      '0177.0.0.1',
      '10.0.0.1',
      '169.254.169.254',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[64:ff9b::7f00:1]',
      'localhost',
      'LOCALHOST.',
      'keys.localhost',
    ])
      assert.equal(faultOf(`https://${host}/`), PRIVATE, host);
  });

  test('allows http with allowHttp', () => {
    const faultOf = (url: string) => tenantUrlError(url, { allowPrivateAddresses: false, allowHttp: true });
    assert.equal(faultOf('http://hooks.example/x'), undefined);
    assert.equal(faultOf('https://hooks.example/x'), undefined);
    assert.equal(faultOf('ftp://hooks.example'), 'must be an http or https address');
    assert.equal(faultOf('http://ada@hooks.example'), 'must not contain credentials');
    assert.equal(faultOf('http://127.1'), PRIVATE);
  });

  test('allows http and any host with allowPrivateAddresses, but no credentials', () => {
    const faultOf = (url: string) => tenantUrlError(url, { allowPrivateAddresses: true });
    assert.equal(faultOf('http://127.0.0.1:4000/issuer'), undefined);
    assert.equal(faultOf('ftp://127.0.0.1'), 'must be an https address');
    assert.equal(faultOf('http://ada@127.0.0.1'), 'must not contain credentials');
  });
});
