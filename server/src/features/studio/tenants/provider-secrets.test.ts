import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createVault } from '../../../security/vault.ts';
import { unsealSecrets, sealSecrets } from './provider-secrets.ts';

const vault = createVault(Buffer.alloc(32, 5));
const secrets = sealSecrets(vault, 'tenant', 'StoreA', { webApiKey: 'secret' });

describe('provider secrets', () => {
  test('can be decrypted only for their tenant and provider', () => {
    assert.deepEqual(unsealSecrets(vault, 'tenant', { provider: 'StoreA', secrets }), {
      webApiKey: 'secret',
    });
    assert.throws(() => unsealSecrets(vault, 'other tenant', { provider: 'StoreA', secrets }));
    assert.throws(() => unsealSecrets(vault, 'tenant', { provider: 'StoreB', secrets }));
  });

  test('are stored as null when there are none', () => {
    assert.equal(sealSecrets(vault, 'tenant', 'StoreA', {}), null);
    assert.deepEqual(unsealSecrets(vault, 'tenant', { provider: 'StoreA', secrets: null }), {});
  });
});
