import type { OutboundClient } from '../../../outbound/http-client.ts';
import { createOutboundProvider } from '../../../outbound/provider.ts';
import {
  readAssertion,
  saysValid,
  signInUrl,
  verificationForm,
  type Assertion,
  type OpenIdParties,
} from './openid-assertion.ts';

/** StoreA as the portal sees it: a browser signs in there and comes back with an assertion. */
export interface StoreAOpenId {
  /** Where the browser goes. */
  signInUrl(state: string): string;
  /** What the address says at which it came back; undefined where StoreA would not have sent it there like this. */
  read(callbackUrl: string): Assertion | undefined;
  /** Asks StoreA whether the assertion is its own. Throws provider_unavailable. */
  confirms(assertion: Assertion): Promise<boolean>;
}

/** The page of the portal that StoreA sends browsers back to. */
const RETURN_PATH = '/sign-in/store-a';

/** `openIdUrl` and `portalUrl` are base addresses, the operator's. */
export function createStoreAOpenId(
  client: OutboundClient,
  { openIdUrl, portalUrl }: { openIdUrl: string; portalUrl: string },
): StoreAOpenId {
  const provider = createOutboundProvider('StoreA', client);
  const store = asBrowsersWriteIt(openIdUrl);
  const portal = asBrowsersWriteIt(portalUrl);
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
      return status === 200 && saysValid(text);
    },
  };
}

/** A base address with its host in lower case, without the port that goes without saying, and without a slash at the end. */
function asBrowsersWriteIt(url: string): string {
  return new URL(url).href.replace(/\/+$/, '');
}
