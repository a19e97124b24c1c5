import type { OutboundClient } from '../../../outbound/http-client.ts';
import type { Vault } from '../../../security/vault.ts';
import type { ProviderSettings } from '../../studio/tenants/index.ts';
import type { Identity, TenantOfToken, TokenProvider } from './identity.ts';
import { createMockVerifier } from './providers/mock.ts';
import { createStoreAVerifier } from './providers/store-a.ts';
import { createStoreBVerifier } from './providers/store-b.ts';
import { createWalletJwtVerifier } from './providers/wallet-jwt.ts';

/**
 * Asks a provider who the bearer of a token is. Throws invalid_credentials where it says: nobody; provider_unavailable
 * where it says nothing; provider_not_available where the tenant has not enabled it, or not as it needs to be.
 */
export type VerifyToken = (
  tenant: TenantOfToken,
  provider: TokenProvider,
  token: string,
) => Promise<Identity>;

export interface TokenVerifierServices {
  providerSettings: ProviderSettings;
  vault: Vault;
  /** The clients for servers that the operator names, and for those that a tenant names. */
  outbound: { operator: OutboundClient; tenant: OutboundClient };
  config: {
    storeAUrl: string | undefined;
    storeBUrl: string | undefined;
    allowPrivateAddresses: boolean;
  };
}

/** One provider's part: a tenant's settings of it are as `PUT …/providers/{provider}` has checked them. */
type Verify = (settings: never, token: string, tenant: TenantOfToken) => Promise<Identity>;

/** Verifies tokens with the providers that a tenant has enabled. */
export function tokenVerifier(services: TokenVerifierServices): VerifyToken {
  const { providerSettings, vault, outbound, config } = services;
  const verifiers: Record<TokenProvider, Verify> = {
    StoreA: createStoreAVerifier(outbound.operator, config.storeAUrl),
    StoreB: createStoreBVerifier(outbound.operator, config.storeBUrl),
    WalletJwt: createWalletJwtVerifier(outbound.tenant, config),
    Mock: createMockVerifier(vault),
  };
  return async (tenant, provider, token) => {
    const settings = await providerSettings.require(tenant.tenantId, provider);
    return verifiers[provider](settings as never, token, tenant);
  };
}
