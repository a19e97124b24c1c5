import type { OutboundClient } from '../../../outbound/http-client.ts';
import { createOutboundProvider } from '../../../outbound/provider.ts';
import {
  readAssertion,
  isConfirmation,
  signInUrl,
  verificationForm,
  type Assertion,
  type OpenIdParties,
} from './openid-assertion.ts';

/** StoreA as an OpenID provider: it redirects the browser back to the portal with an assertion. */
export interface StoreAOpenId {
  /** The URL to which the portal redirects the browser. */
  signInUrl(state: string): string;
  /** Parses a callback URL. Returns undefined if StoreA cannot have sent it. */
  read(callbackUrl: string): Assertion | undefined;
  /** Asks StoreA to verify the assertion. Throws provider_unavailable. */
  confirms(assertion: Assertion): Promise<boolean>;
}

/** The page of the portal to which StoreA redirects browsers. */
const RETURN_PATH = '/sign-in/store-a';

/** `openIdUrl` and `portalUrl` are base URLs from the operator's configuration. */
export function createStoreAOpenId(
  client: OutboundClient,
  { openIdUrl, portalUrl }: { openIdUrl: string; portalUrl: string },
): StoreAOpenId {
  const provider = createOutboundProvider('StoreA', client);
  const store = normalizeUrl(openIdUrl);
  const portal = normalizeUrl(portalUrl);
  const parties: OpenIdParties = {
    endpoint: `${store}/openid/login`,
    identityPrefix: `${store}/openid/id/`,
    returnUrl: portal + RETURN_PATH,
    realm: `${portal}/`,
  };
  return {
    signInUrl: (state) => signInUrl(parties, state),
    read: (callbackUrl) => readAssertion(parties, callbackUrl, Date.now()),
    async confirms(assertion) {
      const { status, text } = await provider.ask(parties.endpoint, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/plain' },
        body: verificationForm(assertion),
      });
      return status === 200 && isConfirmation(text);
    },
  };
}

/** The base URL with a lower-case host, without the default port and without a trailing slash. */
function normalizeUrl(url: string): string {
  return new URL(url).href.replace(/\/+$/, '');
}
