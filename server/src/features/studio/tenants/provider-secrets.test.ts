import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createVault } from '../../../security/vault.ts';
import { unsealSecrets, sealSecrets } from './provider-secrets.ts';

const vault = createVault(Buffer.alloc(32, 5));
const secrets = sealSecrets(vault, 'tenant', 'StoreA', { webApiKey: 'secret' });

test('sealed secrets open for their tenant and provider alone', () => {
  assert.deepEqual(unsealSecrets(vault, 'tenant', { provider: 'StoreA', secrets }), { webApiKey: 'secret' });
  assert.throws(() => unsealSecrets(vault, 'other tenant', { provider: 'StoreA', secrets }));
  assert.throws(() => unsealSecrets(vault, 'tenant', { provider: 'StoreB', secrets }));
});

test('no secrets are stored as none', () => {
  assert.equal(sealSecrets(vault, 'tenant', 'StoreA', {}), null);
  assert.deepEqual(unsealSecrets(vault, 'tenant', { provider: 'StoreA', secrets: null }), {});
});
