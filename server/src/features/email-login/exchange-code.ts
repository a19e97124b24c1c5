import { timingSafeEqual } from 'node:crypto';
import type { Database, Querier } from '../../database/database.ts';
import type { Vault } from '../../security/vault.ts';
import { Problem } from '../../shared/problem.ts';
import {
  signIn,
  type Identity,
  type LoginResult,
  type SignInRequest,
  type SignInServices,
} from '../player-login/index.ts';
import { codeHash } from './code-hash.ts';
import { CredentialChanged, proveAddress } from './prove-address.ts';
import { claimForPlayer, claimProven, countTry, deleteCode, findCredential } from './queries.ts';

const TRIES = 5;
/** Sign-ups with the address that come in between can make an attempt void; there is one of them at most. */
const ATTEMPTS = 3;

/**
 * Signs in whoever has the code that was sent to an address. A pending player becomes a real one. Where somebody else has
 * signed up with the address, and never proved it, they lose every way in first (decision 0011). The code is used up by the
 * sign-in alone: one that is refused (a ban, or nobody to find) leaves it. Throws invalid_credentials for a wrong, used,
 * expired or unknown one, and what any sign-in throws.
 */
export async function exchangeCode(
  services: SignInServices,
  { email, code, ...request }: SignInRequest & { email: string; code: string },
): Promise<LoginResult> {
  const { database, vault } = services;
  const { tenantId } = request;
  const codeId = await compareCode(database, vault, { tenantId, email, code });
  const identity = identityOf(email);
  const first = async (transaction: Querier, playerId: string): Promise<void> => {
    if (!(await claimProven(transaction, email, playerId))) throw new CredentialChanged();
    if (!(await deleteCode(transaction, tenantId, email, codeId))) throw wrongCode();
  };
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const credential = await findCredential(database, email);
    try {
      if (credential?.playerId && !credential.isVerified)
        await proveAddress(database, { email, playerId: credential.playerId });
      return await signIn(services, identity, { ...request, first });
    } catch (error) {
      if (!(error instanceof CredentialChanged)) throw error;
    }
  }
  throw wrongCode();
}

/** An address whose code somebody has. */
export interface ProvenAddress {
  identity: Identity;
  /**
   * Uses the code up and gives the address to a player, in their scope and as the first thing of a transaction. False where it is
   * another player's. Throws invalid_credentials where the code has been used meanwhile.
   */
  claim(transaction: Querier, playerId: string): Promise<boolean>;
}

/** Finds out whether somebody has the code that was sent to an address, with a try counted. Throws invalid_credentials. */
export async function verifyCode(
  { database, vault }: { database: Database; vault: Vault },
  { tenantId, email, code }: { tenantId: string; email: string; code: string },
): Promise<ProvenAddress> {
  const codeId = await compareCode(database, vault, { tenantId, email, code });
  return {
    identity: identityOf(email),
    async claim(transaction, playerId) {
      if (!(await claimForPlayer(transaction, email, playerId))) return false;
      if (!(await deleteCode(transaction, tenantId, email, codeId))) throw wrongCode();
      return true;
    },
  };
}

function identityOf(email: string): Identity {
  return { provider: 'EmailOneTimeCode', issuer: '', providerUserId: email, email };
}

/**
 * The id of the live code where it is the given one. The try is counted first: parallel guesses are five at most, too. Throws
 * invalid_credentials.
 */
async function compareCode(
  database: Database,
  vault: Vault,
  { tenantId, email, code }: { tenantId: string; email: string; code: string },
): Promise<string> {
  const live = await countTry(database.forTenant(tenantId), { tenantId, email, tries: TRIES });
  const given = codeHash(vault, { tenantId, email }, code);
  if (!live || !timingSafeEqual(live.codeHash, given)) throw wrongCode();
  return live.id;
}

function wrongCode(): Problem {
  return new Problem('invalid_credentials', 'The code is wrong, was used, or has expired.');
}
