import type { OutboundClient } from '../../../../outbound/http-client.ts';
import { jsonObjectOf, notUnderstood, createTenantProviders } from '../../../../outbound/provider.ts';
import { ProblemError } from '../../../../core/problem.ts';
import type { ProviderVerifier } from '../identity.ts';

interface StoreASettings {
  appId: string;
  webApiKey: string;
  identity?: string;
}

interface TicketAnswer {
  params?: { result?: unknown; steamid?: unknown; publisherbanned?: unknown };
  error?: unknown;
}

/** StoreA's tickets have up to 2,560 bytes, in hexadecimal digits. */
const TICKET = /^(?:[0-9a-f]{2}){1,2560}$/i;
const USER_ID = /^[0-9]{1,20}$/;

/**
 * Verifies web API tickets with a request to StoreA. The response names the ticket's owner and confirms the tenant's application. The
 * request URL contains the tenant's key, so it must not appear in logs or responses.
 */
export function createStoreAVerifier(
  client: OutboundClient,
  baseUrl: string | undefined,
): ProviderVerifier<StoreASettings> {
  const storeFor = createTenantProviders('StoreA', client);

  return async (settings, ticket, { tenantId }) => {
    if (!baseUrl)
      throw new ProblemError(
        'provider_not_available',
        'The operator of this deployment has not configured StoreA.',
      );
    if (!TICKET.test(ticket))
      throw new ProblemError('invalid_credentials', 'A StoreA ticket must be hexadecimal digits.');

    const { webApiKey, appId, identity } = settings;
    const query = new URLSearchParams({
      key: webApiKey,
      appid: appId,
      ticket,
      ...(identity && { identity }),
    });
    const answer = await storeFor(tenantId).ask(
      `${baseUrl}/ISteamUserAuth/AuthenticateUserTicket/v1/?${query}`,
    );
    if (answer.status === 401 || answer.status === 403)
      throw new ProblemError(
        'provider_not_available',
        'StoreA refused the web API key of this tenant. Correct it in the settings of the provider.',
      );

    const { params, error } = (jsonObjectOf(answer)?.['response'] ?? {}) as TicketAnswer;
    const { result, steamid, publisherbanned } = params ?? {};
    if (answer.status !== 200 || !(error || typeof result === 'string'))
      throw notUnderstood('StoreA', answer);
    if (error || result !== 'OK')
      throw new ProblemError('invalid_credentials', 'StoreA refused the ticket. Get a new one.');
    if (typeof steamid !== 'string' || !USER_ID.test(steamid)) throw notUnderstood('StoreA', answer);
    // `vacbanned` is ignored, because it covers other games too.
    if (publisherbanned === true)
      throw new ProblemError(
        'invalid_credentials',
        'StoreA reports that the publisher has banned the player.',
      );
    return { provider: 'StoreA', issuer: '', providerUserId: steamid };
  };
}
