import { randomBytes } from 'node:crypto';
import type { Address } from 'viem';
import type { Database } from '../../database/database.ts';
import type { Charge } from '../../shared/charge.ts';
import { newId } from '../../shared/ids.ts';
import { invalidField } from '../../shared/problem.ts';
import { now, secondsFromNow } from '../../shared/timestamps.ts';
import { findTenant, type ProviderSettings } from '../tenants/index.ts';
import type { ChallengeThrottle } from './challenge-throttle.ts';
import { insertChallenge } from './queries.ts';
import { statementFor, writeSignInMessage } from './sign-in-message.ts';

const LIFETIME_SECONDS = 5 * 60;
const ETHEREUM = 1;

export interface IssueServices {
  database: Database;
  providerSettings: ProviderSettings;
  walletThrottle: ChallengeThrottle;
  issuer: string;
}

/** What a wallet is asked to sign. */
export interface IssuedChallenge {
  challengeId: string;
  message: string;
  nonce: string;
  expiresAt: string;
}

/**
 * Issues a message for a wallet to sign. Throws provider_not_available, too_many_attempts, and invalid_request for a
 * chain that is not the tenant's.
 */
export async function issueChallenge(
  { database, providerSettings, walletThrottle, issuer }: IssueServices,
  { charge, ipAddress }: { charge: Charge; ipAddress: string | null },
  { address, chainId: wanted }: { address: Address; chainId?: number | undefined },
): Promise<IssuedChallenge> {
  const { tenantId } = charge;
  const { chainIds = [] } = (await providerSettings.require(tenantId, 'EvmWallet')) as {
    chainIds?: number[];
  };
  const chainId = wanted ?? chainIds[0] ?? ETHEREUM;
  if (chainIds.length > 0 && !chainIds.includes(chainId))
    throw invalidField('chainId', `must be one of the tenant’s: ${chainIds.join(', ')}`);
  await walletThrottle.spend({ tenantId, ipAddress });

  const tenant = await findTenant(database, tenantId);
  if (!tenant) throw new Error(`The tenant ${tenantId} of a verified key does not exist.`);
  // Not viem's nonce, which is made of Math.random.
  const nonce = randomBytes(16).toString('hex');
  const [issuedAt, expiresAt] = [now(), secondsFromNow(LIFETIME_SECONDS)];
  const statement = statementFor(tenant);
  const message = writeSignInMessage({ issuer, address, statement, chainId, nonce, issuedAt, expiresAt });
  const challengeId = newId();
  const challenge = { tenantId, id: challengeId, nonce, address, chainId, message, expiresAt };
  await insertChallenge(database.forKey(charge), challenge);
  return { challengeId, message, nonce, expiresAt };
}
