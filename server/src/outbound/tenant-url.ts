import { isWalledHost } from './addresses.ts';

/**
 * What is wrong with an address that a tenant gave us to call, as a sentence without its subject; undefined where nothing
 * is. It must be https, so that nobody on the way can speak for the server; with `allowHttp`, where nothing that it says is
 * believed, http will do. With `allowPrivateAddresses`, for tests, http and any host will do. A name that leads to a private address is found out when it is dialled.
 */
export function faultOfTenantUrl(
  text: string,
  { allowPrivateAddresses, allowHttp = false }: { allowPrivateAddresses: boolean; allowHttp?: boolean },
): string | undefined {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' && !((allowPrivateAddresses || allowHttp) && url?.protocol === 'http:'))
    return `must be an ${allowHttp ? 'http or https' : 'https'} address`;
  if (url.username || url.password) return 'may not hold credentials';
  if (!allowPrivateAddresses && isWalledHost(url.hostname)) return 'may not name a private address';
  return undefined;
}
