import type { Vault } from '../../../security/vault.ts';
import { ledgerNames, type Identity } from './identity.ts';

/**
 * What is kept of an identity that is banned from a tenant. Bound to the tenant, so that fingerprints of two tenants do not tell that
 * they are of one person. An address is the same identity by code and by password.
 */
export function banFingerprint(
  vault: Vault,
  tenantId: string,
  { provider, issuer, providerUserId }: Pick<Identity, 'provider' | 'issuer' | 'providerUserId'>,
): Buffer {
  return vault.fingerprint(JSON.stringify(['ban', tenantId, ledgerNames[provider], issuer, providerUserId]));
}
