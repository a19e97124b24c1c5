import type { Database } from '../../../database/database.ts';
import { ProblemError } from '../../../core/problem.ts';
import type { Vault } from '../../../security/vault.ts';
import type { BillingContext } from '../../../core/billing-context.ts';
import { isBanned, playerBanned, type TokenSource, type VerifyToken } from '../../sign-in/login/index.ts';
import type { TokenSigner } from '../../platform/signing-keys/index.ts';
import { issueToken, type WalletLoginResult } from './issue-token.ts';
import type { WalletLedger } from './ledger.ts';
import { proveAddress } from './player-commands.ts';
import { findPlayerByAddress } from './state-queries.ts';

export interface WalletLoginServices {
  database: Database;
  signer: TokenSigner;
  ledger: WalletLedger;
  verifyToken: VerifyToken;
  vault: Vault;
}

/**
 * Signs in the wallet-linked player of the address in a wallet's JWT. Adds the player at the first login. Throws the errors of
 * the token verification, invalid_credentials for a token without an address, and player_banned.
 */
export async function logInByWallet(
  { database, vault, signer, ledger, verifyToken }: WalletLoginServices,
  source: TokenSource,
  billing: BillingContext,
  jwt: string,
): Promise<WalletLoginResult> {
  const { tenantId } = source;
  const identity = await verifyToken(source, 'WalletJwt', jwt);
  const { walletAddress: address } = identity;
  if (!address) throw new ProblemError('invalid_credentials', 'The token has no wallet address.');

  const tenant = database.forTenant(tenantId);
  const [banned, known] = await Promise.all([
    isBanned(tenant, vault, tenantId, identity),
    findPlayerByAddress(tenant, tenantId, address),
  ]);
  if (banned) throw await playerBanned(tenant, vault, tenantId, identity);
  if (!known?.isVerified) {
    const { player } = await ledger.record(tenantId, proveAddress(address), billing);
    return issueToken(signer, tenantId, player);
  }
  // Only the first login of an address writes an entry, but each login is charged.
  await database.forKey(billing).transaction(async () => {});
  return issueToken(signer, tenantId, known);
}
