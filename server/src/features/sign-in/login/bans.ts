import type { Scope } from '../../../database/database.ts';
import type { Vault } from '../../../security/vault.ts';
import { ledgerNames, type Identity } from './identity.ts';
import { findPlayer } from './queries.ts';

/**
 * The stored form of an identity that is banned from a tenant. It covers the tenant, so the fingerprints of two tenants cannot be
 * linked to one person. An email address has one fingerprint for codes and passwords.
 */
export function banFingerprint(
  vault: Vault,
  tenantId: string,
  { provider, issuer, providerUserId }: Pick<Identity, 'provider' | 'issuer' | 'providerUserId'>,
): Buffer {
  return vault.fingerprint(JSON.stringify(['ban', tenantId, ledgerNames[provider], issuer, providerUserId]));
}

/** Whether an identity, or its player, is banned from the tenant. */
export async function isBanned(
  tenant: Scope,
  vault: Vault,
  tenantId: string,
  identity: Identity,
): Promise<boolean> {
  const fingerprint = banFingerprint(vault, tenantId, identity);
  const { known, isIdentityBanned } = await findPlayer(tenant, tenantId, identity, { fingerprint });
  return isIdentityBanned || (known?.isBanned ?? false);
}
