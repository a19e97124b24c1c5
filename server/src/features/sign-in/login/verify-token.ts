import type { OutboundClient } from '../../../outbound/http-client.ts';
import type { Vault } from '../../../security/vault.ts';
import type { ProviderSettings } from '../../studio/tenants/index.ts';
import type { Identity, ProviderVerifier, TenantOfToken, TokenProvider } from './identity.ts';
import { createMockVerifier } from './providers/mock-verifier.ts';
import { createStoreAVerifier } from './providers/store-a-verifier.ts';
import { createStoreBVerifier } from './providers/store-b-verifier.ts';
import { createWalletJwtVerifier } from './providers/wallet-jwt-verifier.ts';

/**
 * Verifies a token with its provider. Throws invalid_credentials if the token is not valid, provider_unavailable if the provider sends
 * no usable response, and provider_not_available if the tenant has not enabled or not correctly configured the provider.
 */
export type VerifyToken = (
  tenant: TenantOfToken,
  provider: TokenProvider,
  token: string,
) => Promise<Identity>;

export interface TokenVerifierServices {
  providerSettings: ProviderSettings;
  vault: Vault;
  /** The clients for URLs from the operator's configuration, and for URLs from a tenant's settings. */
  outbound: { operator: OutboundClient; tenant: OutboundClient };
  config: {
    storeAUrl: string | undefined;
    storeBUrl: string | undefined;
    allowPrivateAddresses: boolean;
  };
}

/** Verifies tokens with the providers that a tenant has enabled. */
export function createTokenVerifier(services: TokenVerifierServices): VerifyToken {
  const { providerSettings, vault, outbound, config } = services;
  const verifiers: Record<TokenProvider, ProviderVerifier<never>> = {
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
