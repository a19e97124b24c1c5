import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { TestApp } from './test-app.ts';

/** Sends a request from an address, for an app that trusts 127.0.0.1 as a proxy. Reads only the headers of the response. */
export async function openWithoutReading(
  { url }: Pick<TestApp, 'url'>,
  path: string,
  { bearer, address }: { bearer: string; address: string },
): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${bearer}`, 'x-forwarded-for': address };
  const request = get({ port: new URL(url).port, path, headers, agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}
