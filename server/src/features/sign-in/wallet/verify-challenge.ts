import type { Database, Scope } from '../../../database/database.ts';
import { ProblemError } from '../../../core/problem.ts';
import type { Identity } from '../login/index.ts';
import { PORTAL_TENANT_ID } from '../portal/index.ts';
import type { ProviderSettings } from '../../studio/tenants/index.ts';
import type { ChallengeSource, ChallengeThrottle } from './challenge-throttle.ts';
import type { ContractWallets } from './contract-wallets.ts';
import { isSignedByKey } from './key-signature.ts';
import { takeChallenge, type Challenge } from './queries.ts';
import { nonceOf } from './sign-in-message.ts';

export interface VerifyServices {
  database: Database;
  providerSettings: ProviderSettings;
  walletThrottle: ChallengeThrottle;
  contractWallets: ContractWallets;
}

/** A signature, and the signed message or the id of its challenge. */
export type WalletAnswer = { signature: string } & ({ message: string } | { challengeId: string });

/**
 * Verifies a signed message of {@link issueChallenge} and returns the wallet's identity. The challenge is used up before the signature
 * is checked. Throws provider_not_available, provider_unavailable, too_many_attempts, and one invalid_credentials for every other fault.
 */
export async function verifyMessage(
  services: VerifyServices,
  source: ChallengeSource,
  answer: WalletAnswer,
): Promise<Identity> {
  await services.providerSettings.require(source.tenantId, 'EvmWallet');
  return verifyAnswer(services, source, answer);
}

/** Verifies a signed message of {@link issueProofChallenge}. No tenant's settings apply to it. */
export function verifyProofMessage(
  services: VerifyServices,
  ipAddress: string | null,
  answer: WalletAnswer,
): Promise<Identity> {
  return verifyAnswer(services, { tenantId: PORTAL_TENANT_ID, ipAddress }, answer);
}

async function verifyAnswer(
  { database, walletThrottle, contractWallets }: VerifyServices,
  source: ChallengeSource,
  answer: WalletAnswer,
): Promise<Identity> {
  const { tenantId } = source;
  const challenge = await take(database.forTenant(tenantId), tenantId, answer);
  if (!challenge || challenge.isExpired) throw invalidAnswer();
  const identity = await identify(contractWallets, source, challenge, answer.signature);
  await walletThrottle.giveBack(source);
  return identity;
}

async function take(tenant: Scope, tenantId: string, answer: WalletAnswer): ReturnType<typeof takeChallenge> {
  if ('challengeId' in answer) return takeChallenge(tenant, tenantId, answer);
  const nonce = nonceOf(answer.message);
  const challenge = nonce ? await takeChallenge(tenant, tenantId, { nonce }) : undefined;
  // The exact comparison covers the domain, URI, chain, address and times.
  return challenge?.message === answer.message ? challenge : undefined;
}

/**
 * A key belongs to one person on every chain. A contract belongs to its owner on one chain only: on another chain, another person may
 * have deployed a contract at the same address. So the user id of a contract wallet includes the chain (CAIP-10).
 */
async function identify(
  contractWallets: ContractWallets,
  source: ChallengeSource,
  challenge: Challenge,
  signature: string,
): Promise<Identity> {
  const { address, chainId } = challenge;
  const wallet = { provider: 'EvmWallet', issuer: '' } as const;
  if (await isSignedByKey(source.tenantId, challenge, signature))
    return { ...wallet, providerUserId: address };
  if (await contractWallets.haveSigned(source, challenge, signature))
    return { ...wallet, providerUserId: `eip155:${chainId}:${address}` };
  throw invalidAnswer();
}

function invalidAnswer(): ProblemError {
  return new ProblemError(
    'invalid_credentials',
    'The message is not an open challenge, or the signature is not of this wallet. Request a new challenge.',
  );
}
