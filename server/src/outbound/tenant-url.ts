import { isPrivateHost } from './addresses.ts';

/**
 * Returns the error in a URL that a tenant configured, as a sentence without its subject. Returns undefined for a valid
 * URL.
 * The URL must use https, so that nobody on the network can impersonate the server. `allowHttp` permits http, for
 * servers whose responses are ignored. `allowPrivateAddresses` permits http and any host, for tests. A name that
 * resolves to a private address is rejected when the client connects.
 */
export function tenantUrlError(
  text: string,
  { allowPrivateAddresses, allowHttp = false }: { allowPrivateAddresses: boolean; allowHttp?: boolean },
): string | undefined {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' && !((allowPrivateAddresses || allowHttp) && url?.protocol === 'http:'))
    return `must be an ${allowHttp ? 'http or https' : 'https'} address`;
  if (url.username || url.password) return 'must not contain credentials';
  if (!allowPrivateAddresses && isPrivateHost(url.hostname))
    return 'must not name a private address, unless the operator allows it for tests with ALLOW_PRIVATE_ADDRESSES=on';
  return undefined;
}
