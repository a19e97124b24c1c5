import type { Scope } from '../../../database/database.ts';
import type { Vault } from '../../../security/vault.ts';
import { banFingerprint } from './ban-fingerprint.ts';
import type { Identity } from './identity.ts';
import { findPlayer } from './queries.ts';

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
