import type { Database } from '../../../database/database.ts';
import type { KeyCaller } from '../../../core/callers.ts';
import { evmAddress } from '../../../core/evm-address.ts';
import { ProblemError } from '../../../core/problem.ts';
import type { Provider, ProviderSettings } from '../../studio/tenants/index.ts';
import type { Identity } from './identity.ts';
import { findPlayerId, findPlayerIdInTenant } from './queries.ts';

export interface PlayerExistsServices {
  database: Database;
  providerSettings: ProviderSettings;
}

/**
 * The player of a user id at one of the tenant's providers. Never signs in, never creates, and asks no provider. An address
 * is found only where it is verified, for nobody has the sign-in method before, and where its player has been in the tenant.
 * Throws player_not_found, and provider_not_available where the tenant has not enabled and configured the provider.
 */
export async function playerExists(
  { database, providerSettings }: PlayerExistsServices,
  tenant: KeyCaller,
  provider: Provider,
  providerUserId: string,
): Promise<{ playerId: string }> {
  const settings = await providerSettings.require(tenant.tenantId, provider);
  const identity = identityNamed(tenant, provider, settings, providerUserId);
  const found = identity && (await findNamed(database, tenant.tenantId, identity));
  if (!found) throw new ProblemError('player_not_found');
  return found;
}

function findNamed(database: Database, tenantId: string, identity: Identity) {
  return identity.provider === 'EmailOneTimeCode'
    ? findPlayerIdInTenant(database.forTenant(tenantId), tenantId, identity)
    : findPlayerId(database, identity);
}

/** The identity as a sign-in would have stored it; undefined where the provider can have no such user id. */
function identityNamed(
  { workspaceId }: KeyCaller,
  provider: Provider,
  settings: Record<string, unknown>,
  given: string,
): Identity | undefined {
  const ids: { [name in Provider]?: string | undefined } = {
    EvmWallet: walletId(given),
    EmailOneTimeCode: given.toLowerCase(),
  };
  const providerUserId = provider in ids ? ids[provider] : given;
  if (providerUserId === undefined) return undefined;
  const issuers: { [name in Provider]?: string } = {
    Mock: workspaceId,
    WalletJwt: settings['issuer'] as string,
  };
  return { provider, issuer: issuers[provider] ?? '', providerUserId };
}

/** A wallet that is a key goes by its address, one that is a contract by `eip155:<chain id>:<address>`. */
function walletId(given: string): string | undefined {
  const [, chain, address = ''] = /^(eip155:[1-9][0-9]*:)?(0x.*)$/i.exec(given) ?? [];
  const checksummed = evmAddress(address);
  return checksummed && (chain ?? '').toLowerCase() + checksummed;
}
