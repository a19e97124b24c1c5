import { randomBytes } from 'node:crypto';
import type { Address } from 'viem';
import type { Database, Scope } from '../../../database/database.ts';
import { isRolledBack } from '../../../database/errors.ts';
import type { BillingContext } from '../../../core/billing-context.ts';
import { newId } from '../../../core/ids.ts';
import { invalidField, isBusy } from '../../../core/problem.ts';
import { now, secondsFromNow } from '../../../core/timestamps.ts';
import type { NetworkBudget } from '../../../security/network-budget.ts';
import { PORTAL_TENANT_ID } from '../portal/index.ts';
import { findTenant, type ProviderSettings } from '../../studio/tenants/index.ts';
import type { ChallengeSource } from './challenge-budget.ts';
import { insertChallenge } from './queries.ts';
import { PROOF_STATEMENT, statementFor, writeSignInMessage } from './sign-in-message.ts';

const LIFETIME_SECONDS = 5 * 60;
const ETHEREUM_CHAIN_ID = 1;

export interface IssueServices {
  database: Database;
  providerSettings: ProviderSettings;
  challengeBudget: NetworkBudget;
  issuer: string;
}

/** A message for a wallet to sign. */
interface IssuedChallenge {
  challengeId: string;
  message: string;
  nonce: string;
  expiresAt: string;
}

/**
 * Issues a message for a wallet to sign. Throws provider_not_available, too_many_attempts, and invalid_request if the tenant has not
 * enabled the chain.
 */
export async function issueChallenge(
  { database, providerSettings, challengeBudget, issuer }: IssueServices,
  { billing, ipAddress }: { billing: BillingContext; ipAddress: string | null },
  { address, chainId: wanted }: { address: Address; chainId?: number | undefined },
): Promise<IssuedChallenge> {
  const { tenantId } = billing;
  const { chainIds = [] } = (await providerSettings.require(tenantId, 'EvmWallet')) as {
    chainIds?: number[];
  };
  const chainId = wanted ?? chainIds[0] ?? ETHEREUM_CHAIN_ID;
  if (chainIds.length > 0 && !chainIds.includes(chainId))
    throw invalidField('chainId', `must be one of the tenant’s: ${chainIds.join(', ')}`);
  return countChallenge(challengeBudget, { tenantId, ipAddress }, async () => {
    const tenant = await findTenant(database.forTenant(tenantId), tenantId);
    if (!tenant) throw new Error(`The tenant ${tenantId} of a verified key does not exist.`);
    const statement = statementFor(tenant);
    return writeChallenge(database.forKey(billing), { issuer, tenantId, address, chainId, statement });
  });
}

/**
 * Issues a message that proves the identity of a wallet's owner, for one change of a profile. It belongs to the player portal. It does
 * not sign in to a game, and a game's message is not accepted as a proof. Throws too_many_attempts.
 */
export async function issueProofChallenge(
  { database, challengeBudget, issuer }: Omit<IssueServices, 'providerSettings'>,
  ipAddress: string | null,
  { address, chainId = ETHEREUM_CHAIN_ID }: { address: Address; chainId?: number | undefined },
): Promise<IssuedChallenge> {
  const tenantId = PORTAL_TENANT_ID;
  const challenge = { issuer, tenantId, address, chainId, statement: PROOF_STATEMENT };
  return countChallenge(challengeBudget, { tenantId, ipAddress }, () =>
    writeChallenge(database.forTenant(tenantId), challenge),
  );
}

/** Counts a challenge while it is issued. One that was not stored does not count, because nobody can answer it. */
async function countChallenge(
  challengeBudget: NetworkBudget,
  { tenantId, ipAddress }: ChallengeSource,
  issue: () => Promise<IssuedChallenge>,
): Promise<IssuedChallenge> {
  await challengeBudget.spend(ipAddress, tenantId);
  try {
    return await issue();
  } catch (error) {
    if (isBusy(error) || isRolledBack(error)) await challengeBudget.giveBack(ipAddress, tenantId);
    throw error;
  }
}

async function writeChallenge(
  scope: Scope,
  {
    tenantId,
    ...content
  }: { tenantId: string; issuer: string; address: Address; chainId: number; statement: string },
): Promise<IssuedChallenge> {
  // viem's nonce uses Math.random, which is predictable.
  const nonce = randomBytes(16).toString('hex');
  const [issuedAt, expiresAt] = [now(), secondsFromNow(LIFETIME_SECONDS)];
  const message = writeSignInMessage({ ...content, nonce, issuedAt, expiresAt });
  const challengeId = newId();
  const { address, chainId } = content;
  await insertChallenge(scope, { tenantId, id: challengeId, nonce, address, chainId, message, expiresAt });
  return { challengeId, message, nonce, expiresAt };
}
