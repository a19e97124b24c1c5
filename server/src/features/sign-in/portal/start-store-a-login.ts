import { randomBytes } from 'node:crypto';
import type { Database } from '../../../database/database.ts';
import { networkOf, type AttemptBudget } from '../../../security/attempt-budget.ts';
import type { Vault } from '../../../security/vault.ts';
import { ProblemError } from '../../../core/problem.ts';
import { secondsFromNow } from '../../../core/timestamps.ts';
import { insertStartedLogin } from './queries.ts';
import type { StoreAOpenId } from './store-a-openid.ts';

/** How long a player may take to sign in at the store: 10 minutes. */
const LOGIN_SECONDS = 10 * 60;

/** How often one network may start, as every start writes a row that stays for a day. An office may share an address. */
export const STARTS = {
  name: 'portal-starts',
  attempts: 100,
  seconds: LOGIN_SECONDS,
  refusal: 'Too many sign-ins were started from here.',
};

export interface StartServices {
  database: Database;
  vault: Vault;
  storeAOpenId: StoreAOpenId | undefined;
  starts: AttemptBudget;
}

/** Begins a sign-in at StoreA. Throws too_many_attempts and provider_not_available. */
export async function startStoreALogin(
  { database, vault, storeAOpenId, starts }: StartServices,
  address: string | null,
): Promise<{ authUrl: string; expiresAt: string }> {
  await starts.spend(networkOf(address));
  if (!storeAOpenId)
    throw new ProblemError(
      'provider_not_available',
      'The operator of this deployment has not configured the StoreA sign-in.',
    );
  const state = randomBytes(32).toString('base64url');
  const expiresAt = secondsFromNow(LOGIN_SECONDS);
  await insertStartedLogin(database, vault.fingerprint(state), expiresAt);
  return { authUrl: storeAOpenId.signInUrl(state), expiresAt };
}
