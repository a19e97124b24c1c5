import type { OutboundClient } from '../../../outbound/http-client.ts';
import type { Vault } from '../../../security/vault.ts';
import type { ProviderSettings } from '../../studio/tenants/index.ts';
import type { CreateBudget } from '../../../security/attempt-budget.ts';
import type { Identity, ProviderVerifier, TokenProvider, TokenSource } from './identity.ts';
import { createMockVerifier } from './providers/mock-verifier.ts';
import { createStoreAVerifier } from './providers/store-a-verifier.ts';
import { createStoreBVerifier } from './providers/store-b-verifier.ts';
import { createWalletJwtVerifier } from './providers/wallet-jwt-verifier.ts';
import { createStoreTokenLimits } from './store-token-limits.ts';

/**
 * Verifies a token with its provider. Throws invalid_credentials if the token is not valid, provider_unavailable if the provider sends
 * no usable response, and provider_not_available if the tenant has not enabled or not correctly configured the provider. Throws
 * too_many_attempts if a store was asked too often, and busy if too many tokens of the tenant wait for their turn.
 */
export type VerifyToken = (source: TokenSource, provider: TokenProvider, token: string) => Promise<Identity>;

interface TokenVerifierServices {
  providerSettings: ProviderSettings;
  vault: Vault;
  createBudget: CreateBudget;
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
  const { providerSettings, vault, createBudget, outbound, config } = services;
  const verifiers: Record<TokenProvider, ProviderVerifier<never>> = {
    StoreA: createStoreAVerifier(outbound.operator, config.storeAUrl),
    StoreB: createStoreBVerifier(outbound.operator, config.storeBUrl),
    WalletJwt: createWalletJwtVerifier(outbound.tenant, config),
    Mock: createMockVerifier(vault),
  };
  const limitStoreToken = createStoreTokenLimits(createBudget);
  return async (source, provider, token) => {
    const settings = await providerSettings.require(source.tenantId, provider);
    const verify = () => verifiers[provider](settings as never, token, source);
    const asksStore = provider === 'StoreA' || provider === 'StoreB';
    return asksStore ? limitStoreToken(source, { provider, token }, verify) : verify();
  };
}
