import type { Querier } from '../../../database/database.ts';
import { signIn, type LoginResult, type SignInRequest, type SignInServices } from '../login/index.ts';
import type { ProviderSettings } from '../../studio/tenants/index.ts';
import { CredentialChangedError, proveAddress } from './prove-address.ts';
import { claimProven, deleteCode, findCredential, type CodeName } from './queries.ts';
import { tryCode, wrongCode } from './try-code.ts';

/** Sign-ups with the address that come in between can make an attempt void; there is one of them at most. */
const ATTEMPTS = 3;

/**
 * Signs in whoever has the code that was sent to an address. A pending player becomes a real one. Where somebody else has
 * signed up with the address, and never proved it, they lose every way in first (decision 0011). The code is used up by the
 * sign-in alone: one that is refused (a ban, or nobody to find) leaves it. Throws provider_not_available, invalid_credentials
 * for a wrong, used, expired or unknown one, and what any sign-in throws.
 */
export async function exchangeCode(
  services: SignInServices & { providerSettings: ProviderSettings },
  { which, code, ...request }: SignInRequest & { which: CodeName; code: string },
): Promise<LoginResult> {
  const { database } = services;
  const { tenantId } = request.billing;
  await services.providerSettings.require(tenantId, 'EmailOneTimeCode');
  const { codeId, email } = await tryCode(services, tenantId, which, code);

  const identity = { provider: 'EmailOneTimeCode', issuer: '', providerUserId: email, email } as const;
  const first = async (transaction: Querier, playerId: string): Promise<void> => {
    if (!(await claimProven(transaction, email, playerId))) throw new CredentialChangedError();
    if (!(await deleteCode(transaction, tenantId, email, codeId))) throw wrongCode();
  };
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const credential = await findCredential(database, email);
    try {
      if (credential?.playerId && !credential.isVerified)
        await proveAddress(database, { email, playerId: credential.playerId });
      return await signIn(services, identity, { ...request, first });
    } catch (error) {
      if (!(error instanceof CredentialChangedError)) throw error;
    }
  }
  throw wrongCode();
}
