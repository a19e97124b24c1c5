import { Problem } from '../../shared/problem.ts';
import type { Vault } from '../../security/vault.ts';
import type { KeyCaller } from '../../http/request-context.ts';
import type { ProviderSettings } from '../tenants/index.ts';
import type { Identity, TokenProvider } from './identity.ts';
import { readMockToken } from './providers/mock.ts';

/** Asks a provider who the bearer of a token is. Throws invalid_credentials where it says: nobody. */
export type VerifyToken = (tenant: KeyCaller, provider: TokenProvider, token: string) => Promise<Identity>;

/** Verifies tokens with the providers that a tenant has enabled. Throws provider_not_available for any other. */
export function tokenVerifier(settings: ProviderSettings, vault: Vault): VerifyToken {
  return async (tenant, provider, token) => {
    await settings.require(tenant.tenantId, provider);
    if (provider !== 'Mock')
      throw new Problem('provider_not_available', `${provider} is not configured for this tenant.`);
    const identity = readMockToken(token, tenant.workspaceId, vault);
    if (!identity)
      throw new Problem('invalid_credentials', 'A Mock token has the form mock:<username>:<password>.');
    return identity;
  };
}
