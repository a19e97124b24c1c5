import type { Database, Scope } from '../../../database/database.ts';
import { ProblemError } from '../../../core/problem.ts';
import type { Identity } from '../login/index.ts';
import { PORTAL } from '../portal/index.ts';
import type { ProviderSettings } from '../../studio/tenants/index.ts';
import type { Asker, ChallengeThrottle } from './challenge-throttle.ts';
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

/** A signature, and what was signed: the message itself, or the challenge that it is of. */
export type WalletAnswer = { signature: string } & ({ message: string } | { challengeId: string });

/**
 * Whose wallet has signed a message that we issued. The challenge is used up, for good, before the signature is looked at.
 * Throws provider_not_available, provider_unavailable, and one and the same invalid_credentials whatever is wrong.
 */
export async function verifyMessage(
  services: VerifyServices,
  asker: Asker,
  answer: WalletAnswer,
): Promise<Identity> {
  await services.providerSettings.require(asker.tenantId, 'EvmWallet');
  return verifyAnswer(services, asker, answer);
}

/** The same for a message of {@link issueProofChallenge}, which no tenant's settings govern. */
export function verifyProofMessage(
  services: VerifyServices,
  ipAddress: string | null,
  answer: WalletAnswer,
): Promise<Identity> {
  return verifyAnswer(services, { tenantId: PORTAL, ipAddress }, answer);
}

async function verifyAnswer(
  { database, walletThrottle, contractWallets }: VerifyServices,
  asker: Asker,
  answer: WalletAnswer,
): Promise<Identity> {
  const { tenantId } = asker;
  const challenge = await take(database.forTenant(tenantId), tenantId, answer);
  if (!challenge || challenge.isExpired) throw refusal();
  const identity = await identify(contractWallets, challenge, answer.signature);
  await walletThrottle.giveBack(asker);
  return identity;
}

async function take(tenant: Scope, tenantId: string, answer: WalletAnswer): ReturnType<typeof takeChallenge> {
  if ('challengeId' in answer) return takeChallenge(tenant, tenantId, answer);
  const nonce = nonceOf(answer.message);
  const challenge = nonce ? await takeChallenge(tenant, tenantId, { nonce }) : undefined;
  // To the letter: so domain, URI, chain, address and times are those that were issued.
  return challenge?.message === answer.message ? challenge : undefined;
}

/**
 * A key is the same person's on every chain. A contract is its owner's on one chain: on another, somebody else may have
 * put theirs at the same address. So who signs by a contract is named with the chain (CAIP-10).
 */
async function identify(
  contractWallets: ContractWallets,
  challenge: Challenge,
  signature: string,
): Promise<Identity> {
  const { address, chainId } = challenge;
  const wallet = { provider: 'EvmWallet', issuer: '' } as const;
  if (await isSignedByKey(challenge, signature)) return { ...wallet, providerUserId: address };
  if (await contractWallets.haveSigned(challenge, signature))
    return { ...wallet, providerUserId: `eip155:${chainId}:${address}` };
  throw refusal();
}

function refusal(): ProblemError {
  return new ProblemError(
    'invalid_credentials',
    'The message is not an open challenge, or the signature is not of this wallet. Request a new challenge.',
  );
}
