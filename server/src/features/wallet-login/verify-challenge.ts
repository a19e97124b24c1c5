import type { Database } from '../../database/database.ts';
import { Problem } from '../../shared/problem.ts';
import type { Identity } from '../player-login/index.ts';
import type { ProviderSettings } from '../tenants/index.ts';
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

/**
 * Whose wallet has signed a message that we issued. The challenge is used up, for good, before the signature is looked at.
 * Throws provider_not_available, provider_unavailable, and one and the same invalid_credentials whatever is wrong.
 */
export async function verifyMessage(
  { database, providerSettings, walletThrottle, contractWallets }: VerifyServices,
  asker: Asker,
  { message, signature }: { message: string; signature: string },
): Promise<Identity> {
  const { tenantId } = asker;
  await providerSettings.require(tenantId, 'EvmWallet');
  const nonce = nonceOf(message);
  const challenge = nonce && (await takeChallenge(database.forTenant(tenantId), tenantId, nonce));
  // To the letter: so domain, URI, chain, address and times are those that were issued.
  if (!challenge || challenge.isExpired || challenge.message !== message) throw refusal();
  const identity = await identify(contractWallets, challenge, signature);
  await walletThrottle.giveBack(asker);
  return identity;
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

function refusal(): Problem {
  return new Problem(
    'invalid_credentials',
    'The message is not an open challenge, or the signature is not the wallet’s. Ask for a new challenge.',
  );
}
