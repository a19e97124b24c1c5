import type { Scope } from '../../../database/database.ts';
import type { Vault } from '../../../security/vault.ts';
import { ProblemError } from '../../../core/problem.ts';
import { isSelfAsserted, ledgerNames, type Identity } from './identity.ts';
import { findActiveBan, findPlayer } from './queries.ts';

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

/**
 * Reads the ban that refused a sign-in, and creates the error with its reason and its end. Both are null if the ban has ended since, or
 * if it is a ban of an identity that the credential does not prove.
 */
export async function playerBanned(
  tenant: Scope,
  vault: Vault,
  tenantId: string,
  identity: Identity,
): Promise<ProblemError> {
  const fingerprint = isSelfAsserted(identity) ? null : banFingerprint(vault, tenantId, identity);
  const ban = await findActiveBan(tenant, tenantId, identity, fingerprint);
  return new ProblemError('player_banned', { members: { ban: ban ?? { reason: null, until: null } } });
}
