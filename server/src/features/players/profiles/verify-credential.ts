import type { PlayerCaller } from '../../../core/callers.ts';
import { ProblemError, type ProblemCode } from '../../../core/problem.ts';
import type { Identity, TokenProvider, VerifyToken } from '../../sign-in/login/index.ts';
import { verifyCode, type ProvenAddress } from '../../sign-in/email/index.ts';
import { verifyStoreACallback, type StoreAServices } from '../../sign-in/portal/index.ts';
import { verifyMessage, type WalletVerifyServices } from '../../sign-in/wallet/index.ts';
import { findTenant } from '../../studio/tenants/index.ts';

/** What proves that somebody is who they are at a provider: the same as for signing in. */
export type Credential =
  | { provider: TokenProvider; token: string }
  | { provider: 'EvmWallet'; message: string; signature: string }
  | { provider: 'EmailOneTimeCode'; email: string; code: string };

/** Who a provider vouches for. */
export interface Verified {
  identity: Identity;
  /** What a transaction that links the identity does before all else: false where it is another player's. */
  claim?: ProvenAddress['claim'];
}

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
): Promise<Verified> {
  const { identity, claim } = await refusing(() => ask(services, caller, credential));
  return {
    identity,
    ...(claim && { claim: (transaction, playerId) => refusing(() => claim(transaction, playerId)) }),
  };
}

/** What is a 401 or a 422 at a sign-in is here a 400 (spec: profile endpoints), for the caller's own token is good. */
async function refusing<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProblemError && refusals.includes(error.code))
      throw new ProblemError('credential_refused', error.message);
    throw error;
  }
}

const refusals: ProblemCode[] = ['invalid_credentials', 'provider_not_available'];

async function ask(
  services: CredentialServices,
  { tenantId, ipAddress }: Claimant,
  credential: Credential,
): Promise<Verified> {
  const { provider } = credential;
  if (tenantId === null && provider === 'StoreA')
    return { identity: await verifyStoreACallback(services, credential.token) };
  const tenant =
    tenantId === null ? undefined : await findTenant(services.database.forTenant(tenantId), tenantId);
  if (!tenant?.isActive)
    throw new ProblemError('provider_not_available', `${provider} is not available to this token.`);
  const { id, workspaceId } = tenant;
  switch (provider) {
    case 'EvmWallet':
      return { identity: await verifyMessage(services, { tenantId: id, ipAddress }, credential) };
    case 'EmailOneTimeCode':
      await services.providerSettings.require(id, provider);
      return verifyCode(services, { tenantId: id, ...credential });
    default:
      return {
        identity: await services.verifyToken({ tenantId: id, workspaceId }, provider, credential.token),
      };
  }
}
