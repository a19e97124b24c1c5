import type { Database } from '../../../database/database.ts';
import type { Vault } from '../../../security/vault.ts';
import { ProblemError } from '../../../core/problem.ts';
import type { Identity } from '../login/index.ts';
import { createSession, type PortalTokens, type SessionServices } from './open-session.ts';
import { finishStartedLogin } from './queries.ts';
import type { StoreAOpenId } from './store-a-openid.ts';

export interface StoreAServices {
  database: Database;
  vault: Vault;
  storeAOpenId: StoreAOpenId | undefined;
}

/**
 * Signs a player in with what StoreA says of them. Throws invalid_request for what is no address, and as
 * {@link verifyStoreACallback} does.
 */
export async function finishStoreALogin(
  services: StoreAServices & SessionServices,
  callbackUrl: string,
): Promise<PortalTokens> {
  if (!URL.canParse(callbackUrl)) throw new ProblemError('invalid_request', 'callbackUrl is not a URL.');
  return createSession(services, await verifyStoreACallback(services, callbackUrl));
}

/**
 * Finds out who StoreA has sent back. The state is used up before StoreA is asked: so of many uses of one callback one asks, and
 * StoreA is asked no more often than sign-ins were started. Whatever is wrong with a callback, the answer is one and the same.
 * Throws provider_not_available, provider_unavailable and invalid_credentials.
 */
export async function verifyStoreACallback(
  { database, vault, storeAOpenId }: StoreAServices,
  callbackUrl: string,
): Promise<Identity> {
  if (!storeAOpenId)
    throw new ProblemError(
      'provider_not_available',
      'The operator of this deployment has not configured the StoreA sign-in.',
    );
  const assertion = URL.canParse(callbackUrl) ? storeAOpenId.read(callbackUrl) : undefined;
  const isGenuine =
    assertion &&
    (await finishStartedLogin(database, vault.fingerprint(assertion.state), assertion.nonce)) &&
    (await storeAOpenId.confirms(assertion));
  if (!isGenuine)
    throw new ProblemError('invalid_credentials', 'StoreA did not confirm this sign-in. Start it again.');
  return { provider: 'StoreA', issuer: '', providerUserId: assertion.accountId };
}
