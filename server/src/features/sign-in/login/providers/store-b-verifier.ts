import type { OutboundClient } from '../../../../outbound/http-client.ts';
import { jsonObjectOf, notUnderstood, createTenantProviders } from '../../../../outbound/provider.ts';
import { ProblemError } from '../../../../core/problem.ts';
import { isStorable } from '../../../../core/text.ts';
import type { ProviderVerifier } from '../identity.ts';

interface StoreBSettings {
  clientId: string;
}

/** The characters of a bearer token (RFC 6750). StoreB's tokens have about 2,000 characters. */
const TOKEN = /^[\w.~+/-]{1,8192}=*$/;
const MAX_USER_ID_LENGTH = 255;

/** Verifies OAuth access tokens with a request to StoreB. The response names the token's owner and client. */
export function createStoreBVerifier(
  client: OutboundClient,
  baseUrl: string | undefined,
): ProviderVerifier<StoreBSettings> {
  const storeFor = createTenantProviders('StoreB', client);

  return async (settings, token, { tenantId }) => {
    if (!baseUrl)
      throw new ProblemError(
        'provider_not_available',
        'The operator of this deployment has not configured StoreB.',
      );
    if (!TOKEN.test(token))
      throw new ProblemError('invalid_credentials', 'The token is not an OAuth access token.');

    const answer = await storeFor(tenantId).ask(`${baseUrl}/oauth/v2/tokenInfo`, {
      headers: { authorization: `Bearer ${token}` },
    });
    if ([400, 401, 403].includes(answer.status)) throw refused();
    const { active, client_id, account_id } = jsonObjectOf(answer) ?? {};
    // The response for an expired or unknown token contains only `active` (RFC 7662).
    if (answer.status === 200 && active === false) throw refused();
    if (answer.status !== 200 || typeof client_id !== 'string') throw notUnderstood('StoreB', answer);
    if (client_id !== settings.clientId)
      throw new ProblemError('invalid_credentials', 'The token was issued to another client.');
    if (account_id === undefined)
      throw new ProblemError(
        'invalid_credentials',
        'The token belongs to a client, not to an account. Send the token of a user.',
      );
    if (!isUserId(account_id)) throw notUnderstood('StoreB', answer);
    return { provider: 'StoreB', issuer: '', providerUserId: account_id };
  };
}

function refused(): ProblemError {
  return new ProblemError(
    'invalid_credentials',
    'StoreB refused the token: it has expired, or StoreB did not issue it.',
  );
}

function isUserId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_USER_ID_LENGTH && isStorable(value);
}
