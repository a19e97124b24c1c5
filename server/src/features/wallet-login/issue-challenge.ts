import { randomBytes } from 'node:crypto';
import type { Database } from '../../database/database.ts';
import { evmAddress } from '../../shared/evm-address.ts';
import { newId } from '../../shared/ids.ts';
import { Problem } from '../../shared/problem.ts';
import { now, secondsFromNow } from '../../shared/timestamps.ts';
import { findTenant, type ProviderSettings } from '../tenants/index.ts';
import type { Asker, ChallengeThrottle } from './challenge-throttle.ts';
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
 * Issues a message for a wallet to sign. Throws provider_not_available, too_many_attempts, and invalid_request for an
 * address that is none and for a chain that is not the tenant's.
 */
export async function issueChallenge(
  { database, providerSettings, walletThrottle, issuer }: IssueServices,
  asker: Asker,
  wallet: { address: string; chainId?: number | undefined },
): Promise<IssuedChallenge> {
  const { tenantId } = asker;
  const { chainIds = [] } = (await providerSettings.require(tenantId, 'EvmWallet')) as {
    chainIds?: number[];
  };
  const address = evmAddress(wallet.address);
  if (!address)
    throw invalid('address', 'must be an address, of one letter case or with the checksum of EIP-55');
  const chainId = wallet.chainId ?? chainIds[0] ?? ETHEREUM;
  if (chainIds.length > 0 && !chainIds.includes(chainId))
    throw invalid('chainId', `must be one of the tenant’s: ${chainIds.join(', ')}`);
  await walletThrottle.spend(asker);

  const tenant = await findTenant(database, tenantId);
  if (!tenant) throw new Error(`The tenant ${tenantId} of a verified key does not exist.`);
  // Not viem's nonce, which is made of Math.random.
  const nonce = randomBytes(16).toString('hex');
  const [issuedAt, expiresAt] = [now(), secondsFromNow(LIFETIME_SECONDS)];
  const statement = statementFor(tenant);
  const message = writeSignInMessage({ issuer, address, statement, chainId, nonce, issuedAt, expiresAt });
  const challengeId = newId();
  const challenge = { tenantId, id: challengeId, nonce, address, chainId, message, expiresAt };
  await insertChallenge(database.forTenant(tenantId), challenge);
  return { challengeId, message, nonce, expiresAt };
}

function invalid(path: string, message: string): Problem {
  return new Problem('invalid_request', {
    detail: `${path} ${message}.`,
    members: { errors: [{ path, message }] },
  });
}
