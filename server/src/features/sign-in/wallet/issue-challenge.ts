import { randomBytes } from 'node:crypto';
import type { Address } from 'viem';
import type { Database, Scope } from '../../../database/database.ts';
import type { BillingContext } from '../../../core/billing-context.ts';
import { newId } from '../../../core/ids.ts';
import { invalidField } from '../../../core/problem.ts';
import { now, secondsFromNow } from '../../../core/timestamps.ts';
import { PORTAL } from '../portal/index.ts';
import { findTenant, type ProviderSettings } from '../../studio/tenants/index.ts';
import type { ChallengeThrottle } from './challenge-throttle.ts';
import { insertChallenge } from './queries.ts';
import { PROOF_STATEMENT, statementFor, writeSignInMessage } from './sign-in-message.ts';

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
  { billing, ipAddress }: { billing: BillingContext; ipAddress: string | null },
  { address, chainId: wanted }: { address: Address; chainId?: number | undefined },
): Promise<IssuedChallenge> {
  const { tenantId } = billing;
  const { chainIds = [] } = (await providerSettings.require(tenantId, 'EvmWallet')) as {
    chainIds?: number[];
  };
  const chainId = wanted ?? chainIds[0] ?? ETHEREUM;
  if (chainIds.length > 0 && !chainIds.includes(chainId))
    throw invalidField('chainId', `must be one of the tenant’s: ${chainIds.join(', ')}`);
  await walletThrottle.spend({ tenantId, ipAddress });

  const tenant = await findTenant(database.forTenant(tenantId), tenantId);
  if (!tenant) throw new Error(`The tenant ${tenantId} of a verified key does not exist.`);
  const statement = statementFor(tenant);
  return writeChallenge(database.forKey(billing), { issuer, tenantId, address, chainId, statement });
}

/**
 * Issues a message by which the owner of a wallet proves who they are, for a change of a profile. It belongs to the player
 * portal: it signs in to no game, and a game's message is no proof. Throws too_many_attempts.
 */
export async function issueProofChallenge(
  { database, walletThrottle, issuer }: Omit<IssueServices, 'providerSettings'>,
  ipAddress: string | null,
  { address, chainId = ETHEREUM }: { address: Address; chainId?: number | undefined },
): Promise<IssuedChallenge> {
  await walletThrottle.spend({ tenantId: PORTAL, ipAddress });
  const challenge = { issuer, tenantId: PORTAL, address, chainId, statement: PROOF_STATEMENT };
  return writeChallenge(database.forTenant(PORTAL), challenge);
}

async function writeChallenge(
  scope: Scope,
  {
    tenantId,
    ...words
  }: { tenantId: string; issuer: string; address: Address; chainId: number; statement: string },
): Promise<IssuedChallenge> {
  // Not viem's nonce, which is made of Math.random.
  const nonce = randomBytes(16).toString('hex');
  const [issuedAt, expiresAt] = [now(), secondsFromNow(LIFETIME_SECONDS)];
  const message = writeSignInMessage({ ...words, nonce, issuedAt, expiresAt });
  const challengeId = newId();
  const { address, chainId } = words;
  await insertChallenge(scope, { tenantId, id: challengeId, nonce, address, chainId, message, expiresAt });
  return { challengeId, message, nonce, expiresAt };
}
