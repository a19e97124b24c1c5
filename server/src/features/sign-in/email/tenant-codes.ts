import type { Querier } from '../../../database/database.ts';
import type { BillingContext } from '../../../core/billing-context.ts';
import { ProblemError } from '../../../core/problem.ts';
import type { MailServices } from '../../messages/mail/index.ts';
import { signIn, type Identity, type SignInRequest, type SignInServices } from '../login/index.ts';
import type { PlayerTokens } from '../tokens/index.ts';
import { readTenant, type ProviderSettings } from '../../studio/tenants/index.ts';
import { confirmOwnership, CredentialChangedError } from './address-ownership.ts';
import { deleteCode, type CodeKey, type SentCode } from './code-queries.ts';
import { claimForPlayer, claimForSignIn, findCredential, type Credential } from './credential-queries.ts';
import { oneTimeCodeEmail } from './email-templates.ts';
import { spendMail } from './mail-limits.ts';
import {
  checkCode,
  createCode,
  emailCodeIdentity,
  invalidCode,
  mailCode,
  type CheckCodeServices,
  type CreateCodeServices,
} from './one-time-codes.ts';

export type SendCodeServices = CreateCodeServices & MailServices & { providerSettings: ProviderSettings };

/** A concurrent sign-up with the address makes an attempt fail. An address has at most one sign-up. */
const ATTEMPTS = 3;

/** Sends a one-time code of a tenant to an address. Throws provider_not_available, and the errors of {@link createCode}. */
export async function sendCode(
  services: SendCodeServices,
  { billing, ipAddress }: { billing: BillingContext; ipAddress: string | null },
  email: string,
): Promise<SentCode> {
  const { tenantId } = billing;
  await services.providerSettings.require(tenantId, 'EmailOneTimeCode');
  const issuer = { tenantId, scope: services.database.forKey(billing), spend: spendMail };
  return createCode(services, issuer, { email, ipAddress }, async (transaction, codeId, decision) => {
    const { name } = await readTenant(transaction, tenantId);
    const write = (code: string) => oneTimeCodeEmail({ game: name, code });
    await mailCode(services, transaction, { tenantId, email, codeId }, write, decision);
  });
}

/**
 * Signs in with a one-time code. A pending address becomes a player. If a player signed up with the address but never verified it,
 * that player loses all credentials first (docs/decisions/0011-proof-of-address.md). Only a successful sign-in uses the code up.
 * Throws provider_not_available, the errors of {@link signIn}, and invalid_credentials for a code that is wrong, used or expired, or
 * if the player of the address has removed this method.
 */
export async function exchangeCode(
  services: SignInServices & CheckCodeServices & { providerSettings: ProviderSettings },
  { email, codeId: wantedId, code, ...request }: SignInRequest & CodeKey & { code: string },
): Promise<PlayerTokens> {
  const { database } = services;
  const { ipAddress, billing } = request;
  const { tenantId } = billing;
  await services.providerSettings.require(tenantId, 'EmailOneTimeCode');
  const given = { email, ...(wantedId && { codeId: wantedId }), code, ipAddress };
  const codeId = await checkCode(services, tenantId, given);

  const inTransaction = async (transaction: Querier, playerId: string): Promise<void> => {
    if (!(await claimForSignIn(transaction, email, playerId))) throw new CredentialChangedError();
    if (!(await deleteCode(transaction, tenantId, email, codeId))) throw invalidCode();
  };
  let credential: Credential | undefined;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    credential = await findCredential(database, email);
    try {
      if (credential?.playerId && !credential.isVerified) {
        const { playerId } = credential;
        await database
          .forPlayer(playerId)
          .transaction((transaction) => confirmOwnership(transaction, { email, playerId }));
      }
      return await signIn(services, emailCodeIdentity(email), { ...request, inTransaction });
    } catch (error) {
      // Without the sign-in by code, `only-existing` finds no player, although the address has one.
      if (credential?.playerId && error instanceof ProblemError && error.code === 'player_not_found')
        throw removedMethod();
      if (!(error instanceof CredentialChangedError)) throw error;
    }
  }
  throw credential?.isVerified ? removedMethod() : invalidCode();
}

/** The code is correct, but the player of the address has removed the sign-in by code and kept the password. */
function removedMethod(): ProblemError {
  return new ProblemError(
    'invalid_credentials',
    'The player of the email address has removed the sign-in by code. Sign in with the password, and link the address again.',
  );
}

/** An address and a code that matched it. */
export interface ProvenAddress {
  identity: Identity;
  /**
   * Uses the code up and gives the address to a player. Call it first in a transaction, in the player's scope. Returns false if the
   * address belongs to another player. Throws invalid_credentials if the code was used in the meantime.
   */
  claim(transaction: Querier, playerId: string): Promise<boolean>;
}

/** Checks a code of a tenant and counts the attempt. Throws invalid_credentials and too_many_attempts. */
export async function verifyCode(
  services: CheckCodeServices,
  { tenantId, ...given }: { tenantId: string; ipAddress: string | null; email: string; code: string },
): Promise<ProvenAddress> {
  const { email } = given;
  const codeId = await checkCode(services, tenantId, given);
  return {
    identity: emailCodeIdentity(email),
    async claim(transaction, playerId) {
      if (!(await claimForPlayer(transaction, email, playerId))) return false;
      if (!(await deleteCode(transaction, tenantId, email, codeId))) throw invalidCode();
      return true;
    },
  };
}
