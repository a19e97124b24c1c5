import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openVault } from '../../security/vault.ts';
import { openSecrets, sealSecrets } from './provider-secrets.ts';

const vault = openVault(Buffer.alloc(32, 5));
const secrets = sealSecrets(vault, 'tenant', 'StoreA', { webApiKey: 'secret' });

test('sealed secrets open for their tenant and provider alone', () => {
  assert.deepEqual(openSecrets(vault, 'tenant', { provider: 'StoreA', secrets }), { webApiKey: 'secret' });
  assert.throws(() => openSecrets(vault, 'other tenant', { provider: 'StoreA', secrets }));
  assert.throws(() => openSecrets(vault, 'tenant', { provider: 'StoreB', secrets }));
});

test('no secrets are stored as none', () => {
  assert.equal(sealSecrets(vault, 'tenant', 'StoreA', {}), null);
  assert.deepEqual(openSecrets(vault, 'tenant', { provider: 'StoreA', secrets: null }), {});
});
