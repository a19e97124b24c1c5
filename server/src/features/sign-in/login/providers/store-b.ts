import type { OutboundClient } from '../../../../outbound/http-client.ts';
import { jsonObjectOf, notUnderstood, createTenantProviders } from '../../../../outbound/provider.ts';
import { ProblemError } from '../../../../core/problem.ts';
import { isStorable } from '../../../../core/text.ts';
import type { Identity, TenantOfToken } from '../identity.ts';

interface StoreBSettings {
  clientId: string;
}

/** What a bearer token may be made of (RFC 6750); the store's hold some 2,000 characters. */
const TOKEN = /^[\w.~+/-]{1,8192}=*$/;
const LONGEST_USER_ID = 255;

/** Verifies StoreB's OAuth access tokens: the store itself says whose token it is, and which client it was issued to. */
export function createStoreBVerifier(client: OutboundClient, baseUrl: string | undefined) {
  const storeFor = createTenantProviders('StoreB', client);

  return async (settings: StoreBSettings, token: string, { tenantId }: TenantOfToken): Promise<Identity> => {
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
    // What a store says of a token that it does not know any more (RFC 7662): nothing else.
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
  return typeof value === 'string' && value !== '' && value.length <= LONGEST_USER_ID && isStorable(value);
}
