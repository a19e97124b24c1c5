import { randomBytes } from 'node:crypto';
import type { Database } from '../../../database/database.ts';
import type { CreateBudget } from '../../../security/attempt-budget.ts';
import { createNetworkBudget, type NetworkBudget } from '../../../security/network-budget.ts';
import type { Vault } from '../../../security/vault.ts';
import { invalidField, ProblemError } from '../../../core/problem.ts';
import { secondsFromNow } from '../../../core/timestamps.ts';
import type { Identity } from '../login/index.ts';
import type { IssuedTokens } from '../tokens/index.ts';
import { insertStartedLogin, finishStartedLogin } from './queries.ts';
import type { StoreAOpenId } from './store-a-openid.ts';
import { createPortalSession, type PortalSessionServices } from './portal-sessions.ts';

/** The time in which a player must finish the sign-in at StoreA. */
const LOGIN_SECONDS = 10 * 60;

/** Each started sign-in stores a row for a day. The limit is 100 per network, because an office may share one IP address. */
export function createPortalStartBudget(createBudget: CreateBudget): NetworkBudget {
  return createNetworkBudget(createBudget, {
    name: 'portal-starts',
    attempts: 100,
    seconds: LOGIN_SECONDS,
    refusal: 'Too many sign-ins were started from this network (100 in 10 minutes). Try again later.',
  });
}

export interface StoreAServices {
  database: Database;
  vault: Vault;
  storeAOpenId: StoreAOpenId | undefined;
}

/** Starts a sign-in at StoreA. Throws too_many_attempts and provider_not_available. */
export async function startStoreALogin(
  { database, vault, storeAOpenId, portalStartBudget }: StoreAServices & { portalStartBudget: NetworkBudget },
  ipAddress: string | null,
): Promise<{ authUrl: string; expiresAt: string }> {
  await portalStartBudget.spend(ipAddress);
  if (!storeAOpenId) throw notConfigured();
  const state = randomBytes(32).toString('base64url');
  const expiresAt = secondsFromNow(LOGIN_SECONDS);
  await insertStartedLogin(database, vault.fingerprint(state), expiresAt);
  return { authUrl: storeAOpenId.signInUrl(state), expiresAt };
}

/**
 * Signs a player in with a StoreA callback. Throws invalid_request if the callback is not a URL, and the errors of
 * {@link verifyStoreACallback}.
 */
export async function finishStoreALogin(
  services: StoreAServices & PortalSessionServices,
  callbackUrl: string,
): Promise<IssuedTokens> {
  if (!URL.canParse(callbackUrl)) throw invalidField('callbackUrl', 'must be a URL');
  return createPortalSession(services, await verifyStoreACallback(services, callbackUrl));
}

/**
 * Verifies a StoreA callback. The state is used up before the request to StoreA. So one callback causes at most one request, and
 * StoreA gets at most one request per started sign-in. Throws provider_not_available, provider_unavailable, and one
 * invalid_credentials for every fault of the callback.
 */
export async function verifyStoreACallback(
  { database, vault, storeAOpenId }: StoreAServices,
  callbackUrl: string,
): Promise<Identity> {
  if (!storeAOpenId) throw notConfigured();
  const assertion = URL.canParse(callbackUrl) ? storeAOpenId.read(callbackUrl) : undefined;
  const isGenuine =
    assertion &&
    (await finishStartedLogin(database, vault.fingerprint(assertion.state), assertion.nonce)) &&
    (await storeAOpenId.confirms(assertion));
  if (!isGenuine)
    throw new ProblemError('invalid_credentials', 'StoreA did not confirm this sign-in. Start it again.');
  return { provider: 'StoreA', issuer: '', providerUserId: assertion.accountId };
}

function notConfigured(): ProblemError {
  return new ProblemError(
    'provider_not_available',
    'The operator of this deployment has not configured the StoreA sign-in.',
  );
}
