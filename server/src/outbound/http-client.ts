import type { LookupAddress, LookupOptions } from 'node:dns';
import dns from 'node:dns/promises';
import { callbackify } from 'node:util';
import { Agent, type Dispatcher } from 'undici';
import { isPublicAddress, isPrivateHost } from './addresses.ts';
import { describeFailure } from './describe-failure.ts';

/** The response of another server. */
export interface OutboundAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

export interface OutboundRequest {
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string;
  /** Timeout from the first packet to the last byte that is read. Default: 5 seconds. */
  withinMs?: number;
  /**
   * How many bytes of the response body are read. By default the whole body is read, and more than 1 MiB is an error.
   */
  readUpTo?: number;
}

/**
 * Thrown if another server sent no complete response: it is unavailable, too slow, sends too much, or has no public
 * address.
 */
export class OutboundError extends Error {
  override name = 'OutboundError';
}

/** Sends requests to other servers. It does not follow redirects, and returns them like any other response. */
export interface OutboundClient {
  /** Sends one request. Throws {@link OutboundError}. */
  send(url: string, request?: OutboundRequest): Promise<OutboundAnswer>;
  close(): Promise<void>;
}

/** The default timeout of a request. */
const DEFAULT_TIMEOUT_MS = 5000;
/** The longest timeout of a request. */
const MAX_MS = 15_000;
const MAX_RESPONSE_BYTES = 1024 * 1024;

/**
 * Opens a client. With `publicOnly` it connects only to public addresses. The check applies to the address of the
 * connection, so DNS rebinding has no effect.
 */
export function openOutboundClient({ publicOnly }: { publicOnly: boolean }): OutboundClient {
  const agent = new Agent({
    // Tries all addresses of a name, because IPv4 or IPv6 may not be routed.
    connect: { timeout: MAX_MS, autoSelectFamily: true, ...(publicOnly && { lookup: lookupPublic }) },
    headersTimeout: MAX_MS,
    bodyTimeout: MAX_MS,
    keepAliveTimeout: 10_000,
    maxResponseSize: MAX_RESPONSE_BYTES,
    // With HTTP/2, a malicious server can crash this process: undici 8 removes the error listener of a stream that it aborts. Such
    // a server can also delay a request beyond its timeout.
    allowH2: false,
  });

  return {
    async send(url, { method = 'GET', headers = {}, body, withinMs = DEFAULT_TIMEOUT_MS, readUpTo } = {}) {
      const { origin, pathname, search, hostname } = new URL(url);
      // A literal address is not resolved, so `lookup` does not check it.
      if (publicOnly && isPrivateHost(hostname))
        throw new OutboundError(`${hostname} is not a public address.`);
      let afterStatus = '';
      try {
        const answer = await agent.request({
          origin,
          path: pathname + search,
          method,
          headers: { 'user-agent': 'Guildhall', accept: 'application/json', ...headers },
          ...(body !== undefined && { body }),
          signal: AbortSignal.timeout(withinMs),
        } satisfies Dispatcher.RequestOptions);
        afterStatus = `, after status ${answer.statusCode}`;
        const text =
          readUpTo === undefined ? await answer.body.text() : await beginningOf(answer.body, readUpTo);
        return { status: answer.statusCode, headers: answer.headers, text };
      } catch (error) {
        if (error instanceof OutboundError) throw error;
        throw new OutboundError(`${describeFailure(error as Error)}${afterStatus}: ${origin}`, {
          cause: error,
        });
      }
    },
    close: () => agent.destroy(),
  };
}

/**
 * Returns the first bytes of a body as text, without a character that was cut off. If more bytes follow, the connection
 * is closed.
 */
async function beginningOf(body: AsyncIterable<Buffer>, bytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= bytes) break;
  }
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, bytes), { stream: length >= bytes });
}

/** A DNS lookup that returns only public addresses. */
function lookupPublic(
  hostname: string,
  _options: LookupOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
): void {
  callbackify(publicAddressesOf)(hostname, callback);
}

async function publicAddressesOf(hostname: string): Promise<LookupAddress[]> {
  const allowed = (await resolveName(hostname)).filter(({ address }) => isPublicAddress(address));
  if (allowed.length === 0) throw new OutboundError(`${hostname} has no public address.`);
  return allowed;
}

/**
 * Queries the name servers directly. The system resolver blocks one of the four libuv threads, which also hash
 * passwords, for as long as the tenant's name server takes.
 */
async function resolveName(hostname: string): Promise<LookupAddress[]> {
  const [v4, v6] = await Promise.allSettled([dns.resolve4(hostname), dns.resolve6(hostname)]);
  if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason;
  return [
    ...(v4.status === 'fulfilled' ? v4.value : []).map((address) => ({ address, family: 4 })),
    ...(v6.status === 'fulfilled' ? v6.value : []).map((address) => ({ address, family: 6 })),
  ];
}
