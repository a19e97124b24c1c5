import type { Database, Scope } from '../../../database/database.ts';
import { isRolledBack } from '../../../database/errors.ts';
import { ProblemError, type ProblemCode } from '../../../core/problem.ts';
import type { NetworkBudget } from '../../../security/network-budget.ts';
import { signIn, type Identity, type SignInRequest, type SignInServices } from '../login/index.ts';
import { PORTAL_TENANT_ID } from '../portal/index.ts';
import type { PlayerTokens } from '../tokens/index.ts';
import type { ProviderSettings } from '../../studio/tenants/index.ts';
import type { ChallengeSource } from './challenge-budget.ts';
import type { ContractWallets } from './contract-wallets.ts';
import { isSignedByKey } from './key-signature.ts';
import { insertChallenge, takeChallenge, type Challenge, type TakenChallenge } from './queries.ts';
import { nonceOf } from './sign-in-message.ts';

export interface VerifyServices {
  database: Database;
  providerSettings: ProviderSettings;
  challengeBudget: NetworkBudget;
  contractWallets: ContractWallets;
}

/** A signature, and the signed message or the id of its challenge. */
type WalletAnswer = { signature: string } & ({ message: string } | { challengeId: string });

/**
 * Signs in with a signed message of {@link issueChallenge}. Throws provider_not_available, provider_unavailable, too_many_attempts, busy,
 * one invalid_credentials for every other fault of the answer, and the other errors of a sign-in.
 */
export async function signInByMessage(
  services: VerifyServices & SignInServices,
  answer: WalletAnswer,
  request: SignInRequest,
): Promise<PlayerTokens> {
  const { billing, ipAddress } = request;
  const { tenantId } = billing;
  await services.providerSettings.require(tenantId, 'EvmWallet');
  return useUp(services, { tenantId, ipAddress }, answer, (identity) => signIn(services, identity, request));
}

/** Verifies a signed message of {@link issueChallenge} and returns the wallet's identity. Throws the same errors. */
export async function verifyMessage(
  services: VerifyServices,
  source: ChallengeSource,
  answer: WalletAnswer,
): Promise<Identity> {
  await services.providerSettings.require(source.tenantId, 'EvmWallet');
  return useUp(services, source, answer, async (identity) => identity);
}

/** Verifies a signed message of {@link issueProofChallenge}. No tenant's settings apply to it. */
export function verifyProofMessage(
  services: VerifyServices,
  ipAddress: string | null,
  answer: WalletAnswer,
): Promise<Identity> {
  return useUp(services, { tenantId: PORTAL_TENANT_ID, ipAddress }, answer, async (identity) => identity);
}

/**
 * Takes the challenge before the signature is checked, so that parallel answers cost one check. If the answer could not be decided, the
 * challenge is put back. Otherwise each honest player would need a new challenge and a new signature while the server is busy.
 */
async function useUp<Result>(
  { database, challengeBudget, contractWallets }: VerifyServices,
  source: ChallengeSource,
  answer: WalletAnswer,
  use: (identity: Identity) => Promise<Result>,
): Promise<Result> {
  const tenant = database.forTenant(source.tenantId);
  const challenge = await take(tenant, source.tenantId, answer);
  if (!challenge || challenge.isExpired) throw invalidAnswer();
  let isAnswered = false;
  try {
    const identity = await identify(contractWallets, source, challenge, answer.signature);
    isAnswered = true;
    return await use(identity);
  } catch (error) {
    if (isUndecided(error)) {
      isAnswered = false;
      await insertChallenge(tenant, challenge);
    }
    throw error;
  } finally {
    if (isAnswered) await challengeBudget.giveBack(source.ipAddress, source.tenantId);
  }
}

/** Whether the same answer may succeed later. */
function isUndecided(error: unknown): boolean {
  return (error instanceof ProblemError && UNDECIDED.includes(error.code)) || isRolledBack(error);
}

const UNDECIDED: ProblemCode[] = ['busy', 'too_many_attempts', 'provider_unavailable'];

async function take(
  tenant: Scope,
  tenantId: string,
  answer: WalletAnswer,
): Promise<TakenChallenge | undefined> {
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
