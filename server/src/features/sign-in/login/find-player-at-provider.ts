import type { Database } from '../../../database/database.ts';
import type { KeyCaller } from '../../../core/callers.ts';
import { evmAddress } from '../../../core/evm-address.ts';
import { ProblemError } from '../../../core/problem.ts';
import type { Provider, ProviderSettings } from '../../studio/tenants/index.ts';
import type { Identity } from './identity.ts';
import { findPlayerId, findPlayerIdInTenant } from './queries.ts';

export interface FindPlayerServices {
  database: Database;
  providerSettings: ProviderSettings;
}

/**
 * Finds the player of a user id at one of the tenant's providers. Never signs in, never creates a player, and sends no request to a
 * provider. An email address is found only if it is verified and its player has signed in to the tenant. Throws player_not_found,
 * and provider_not_available if the tenant has not enabled and configured the provider.
 */
export async function findPlayerAtProvider(
  { database, providerSettings }: FindPlayerServices,
  tenant: KeyCaller,
  provider: Provider,
  providerUserId: string,
): Promise<{ playerId: string }> {
  const settings = await providerSettings.require(tenant.tenantId, provider);
  const identity = toIdentity(tenant, provider, settings, providerUserId);
  const found = identity && (await findByIdentity(database, tenant.tenantId, identity));
  if (!found) throw new ProblemError('player_not_found');
  return found;
}

function findByIdentity(database: Database, tenantId: string, identity: Identity) {
  return identity.provider === 'EmailOneTimeCode'
    ? findPlayerIdInTenant(database.forTenant(tenantId), tenantId, identity)
    : findPlayerId(database, identity);
}

/** The identity as a sign-in stores it. Undefined if the user id is not valid for the provider. */
function toIdentity(
  { workspaceId }: KeyCaller,
  provider: Provider,
  settings: Record<string, unknown>,
  given: string,
): Identity | undefined {
  const identity = { provider, issuer: '', providerUserId: given };
  switch (provider) {
    case 'EvmWallet': {
      const providerUserId = walletId(given);
      return providerUserId === undefined ? undefined : { ...identity, providerUserId };
    }
    case 'EmailOneTimeCode':
      return { ...identity, providerUserId: given.toLowerCase() };
    case 'Mock':
      return { ...identity, issuer: workspaceId };
    case 'WalletJwt':
      return { ...identity, issuer: settings['issuer'] as string };
    default:
      return identity;
  }
}

/** The user id of a wallet: its address, or `eip155:<chain id>:<address>` for a contract wallet. */
function walletId(given: string): string | undefined {
  const [, chain, address = ''] = /^(eip155:[1-9][0-9]*:)?(0x.*)$/i.exec(given) ?? [];
  const checksummed = evmAddress(address);
  return checksummed && (chain ?? '').toLowerCase() + checksummed;
}
