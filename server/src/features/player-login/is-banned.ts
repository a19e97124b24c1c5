import type { Scope } from '../../database/database.ts';
import type { Identity } from './identity.ts';
import { findPlayer } from './queries.ts';

/** Whether the player of an identity is banned from the tenant. Somebody without a profile is not. */
export async function isBanned(tenant: Scope, tenantId: string, identity: Identity): Promise<boolean> {
  return (await findPlayer(tenant, tenantId, identity, null))?.isBanned ?? false;
}
