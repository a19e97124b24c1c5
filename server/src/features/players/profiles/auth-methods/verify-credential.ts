import type { PlayerCaller } from '../../../../core/callers.ts';
import { ProblemError, type ProblemCode } from '../../../../core/problem.ts';
import type { Identity, TokenProvider, VerifyToken } from '../../../sign-in/login/index.ts';
import { verifyCode, type CheckCodeServices, type ProvenAddress } from '../../../sign-in/email/index.ts';
import { verifyStoreACallback, type StoreAServices } from '../../../sign-in/portal/index.ts';
import { verifyMessage, type WalletVerifyServices } from '../../../sign-in/wallet/index.ts';
import { findTenant } from '../../../studio/tenants/index.ts';

/** A credential of an identity provider, in the same form as at a sign-in. */
export type Credential =
  | { provider: TokenProvider; token: string }
  | { provider: 'EvmWallet'; message: string; signature: string }
  | { provider: 'EmailOneTimeCode'; email: string; code: string };

/** The result of a successful verification. */
interface VerifiedCredential {
  identity: Identity;
  /** A transaction that links the identity calls this first. Returns false if the identity belongs to another player. */
  claim?: ProvenAddress['claim'];
}

export interface CredentialServices extends StoreAServices, WalletVerifyServices, CheckCodeServices {
  verifyToken: VerifyToken;
}

/** The player of an access token, and the IP address of the request. */
export type CallerWithAddress = PlayerCaller & { ipAddress: string | null };

/**
 * Verifies a credential with its provider, with the settings of the tenant of the caller's token. A portal token has no tenant, so
 * it allows only StoreA, by OpenID callback. Throws credential_refused, too_many_attempts, and
 * provider_unavailable if the provider does not answer.
 */
export async function verifyCredential(
  services: CredentialServices,
  caller: CallerWithAddress,
  credential: Credential,
): Promise<VerifiedCredential> {
  const { identity, claim } = await mapRefusal(refusedError, () =>
    verifyWithProvider(services, caller, credential),
  );
  return {
    identity,
    ...(claim && {
      claim: (transaction, playerId) => mapRefusal(refusedError, () => claim(transaction, playerId)),
    }),
  };
}

const refusals: ProblemCode[] = ['invalid_credentials', 'provider_not_available'];

/** Maps the 401 and 422 of a sign-in to another error, because the caller's own token is valid. */
export async function mapRefusal<Result>(
  toError: (reason: string) => ProblemError,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProblemError && refusals.includes(error.code)) throw toError(error.message);
    throw error;
  }
}

const refusedError = (reason: string): ProblemError => new ProblemError('credential_refused', reason);

async function verifyWithProvider(
  services: CredentialServices,
  { tenantId, ipAddress }: CallerWithAddress,
  credential: Credential,
): Promise<VerifiedCredential> {
  const { provider } = credential;
  if (tenantId === null && provider === 'StoreA')
    return { identity: await verifyStoreACallback(services, credential.token) };
  const tenant =
    tenantId === null ? undefined : await findTenant(services.database.forTenant(tenantId), tenantId);
  if (!tenant?.isActive)
    throw new ProblemError('provider_not_available', `${provider} is not available with this access token.`);
  const { id, workspaceId } = tenant;
  switch (provider) {
    case 'EvmWallet':
      return { identity: await verifyMessage(services, { tenantId: id, ipAddress }, credential) };
    case 'EmailOneTimeCode':
      await services.providerSettings.require(id, provider);
      return verifyCode(services, { tenantId: id, ipAddress, ...credential });
    default:
      return {
        identity: await services.verifyToken(
          { tenantId: id, workspaceId, ipAddress },
          provider,
          credential.token,
        ),
      };
  }
}
