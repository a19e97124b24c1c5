import type { PlayerCaller } from '../../http/request-context.ts';
import { Problem, type ProblemCode } from '../../shared/problem.ts';
import type { Identity, TokenProvider, VerifyToken } from '../player-login/index.ts';
import { verifyStoreACallback, type StoreAServices } from '../portal-login/index.ts';
import { verifyMessage, type WalletVerifyServices } from '../wallet-login/index.ts';
import { findTenant } from '../tenants/index.ts';

/** What proves that somebody is who they are at a provider: the same as for signing in. */
export type Credential =
  | { provider: TokenProvider; token: string }
  | { provider: 'EvmWallet'; message: string; signature: string };

export interface CredentialServices extends StoreAServices, WalletVerifyServices {
  verifyToken: VerifyToken;
}

/** Whose token it is, and from where it comes. */
export type Claimant = PlayerCaller & { ipAddress: string | null };

/**
 * Asks the provider who a credential belongs to, with the settings of the tenant that the caller's token is of. With a token of
 * the portal, which is of no tenant, there is StoreA alone: by the address to which it has sent the player back. Throws
 * credential_refused, and provider_unavailable where the provider says nothing.
 */
export async function verifyCredential(
  services: CredentialServices,
  caller: Claimant,
  credential: Credential,
): Promise<Identity> {
  try {
    return await identityOf(services, caller, credential);
  } catch (error) {
    // What is a 401 or a 422 at a sign-in is here a 400 (spec: profile endpoints), for the caller's own token is good.
    if (error instanceof Problem && refusals.includes(error.code))
      throw new Problem('credential_refused', error.message);
    throw error;
  }
}

const refusals: ProblemCode[] = ['invalid_credentials', 'provider_not_available'];

async function identityOf(
  services: CredentialServices,
  { tenantId, ipAddress }: Claimant,
  credential: Credential,
): Promise<Identity> {
  const { provider } = credential;
  if (tenantId === null && provider === 'StoreA') return verifyStoreACallback(services, credential.token);
  const tenant = tenantId === null ? undefined : await findTenant(services.database, tenantId);
  if (!tenant?.isActive)
    throw new Problem('provider_not_available', `${provider} is not available to this token.`);
  switch (provider) {
    case 'EvmWallet':
      return verifyMessage(services, { tenantId: tenant.id, ipAddress }, credential);
    default:
      return services.verifyToken(
        { tenantId: tenant.id, workspaceId: tenant.workspaceId },
        provider,
        credential.token,
      );
  }
}
