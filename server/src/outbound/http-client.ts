import type { LookupAddress, LookupOptions } from 'node:dns';
import dns from 'node:dns/promises';
import { callbackify } from 'node:util';
import { Agent, type Dispatcher } from 'undici';
import { isPublicAddress, isWalledHost } from './addresses.ts';

/** What another server answered. */
export interface OutboundAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

export interface OutboundRequest {
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string;
  /** From the first packet to the last byte of the answer that is read: 5 s, where it is left out. */
  withinMs?: number;
  /** How many bytes of the answer's body are read; the rest is left. Where it is left out, more than 1 MiB is a failure. */
  readUpTo?: number;
}

/** Thrown where another server gave no whole answer: it is away, too slow, too talkative, or at an address that is walled off. */
export class OutboundError extends Error {
  override name = 'OutboundError';
}

/** Calls other servers. Redirects are not followed: they are answers like any other. */
export interface OutboundClient {
  /** Sends one request. Throws {@link OutboundError}. */
  send(url: string, request?: OutboundRequest): Promise<OutboundAnswer>;
  close(): Promise<void>;
}

/** Unless a request says otherwise (contract §4). */
const WITHIN_MS = 5000;
/** No request takes longer than this. */
const LONGEST_MS = 15_000;
const LARGEST_ANSWER = 1024 * 1024;

/**
 * Opens a client. With `publicOnly` it connects to addresses of the public internet alone, whoever names them: the check is on
 * the address that is dialled, so that a name that resolves to another one the second time gains nothing.
 */
export function openOutboundClient({ publicOnly }: { publicOnly: boolean }): OutboundClient {
  const agent = new Agent({
    // All addresses of a name are tried, so that one of the two families may be missing on the way.
    connect: { timeout: LONGEST_MS, autoSelectFamily: true, ...(publicOnly && { lookup: lookupPublic }) },
    headersTimeout: LONGEST_MS,
    bodyTimeout: LONGEST_MS,
    keepAliveTimeout: 10_000,
    maxResponseSize: LARGEST_ANSWER,
  });

  return {
    async send(url, { method = 'GET', headers = {}, body, withinMs = WITHIN_MS, readUpTo } = {}) {
      const { origin, pathname, search, hostname } = new URL(url);
      // A literal address is dialled without being looked up.
      if (publicOnly && isWalledHost(hostname))
        throw new OutboundError(`${hostname} is not a public address.`);
      try {
        const answer = await agent.request({
          origin,
          path: pathname + search,
          method,
          headers: { 'user-agent': 'Guildhall', accept: 'application/json', ...headers },
          ...(body !== undefined && { body }),
          signal: AbortSignal.timeout(withinMs),
        } satisfies Dispatcher.RequestOptions);
        const text =
          readUpTo === undefined ? await answer.body.text() : await beginningOf(answer.body, readUpTo);
        return { status: answer.statusCode, headers: answer.headers, text };
      } catch (error) {
        throw new OutboundError(`${origin} gave no answer: ${(error as Error).message}`, { cause: error });
      }
    },
    close: () => agent.destroy(),
  };
}

/** The first bytes of a body, without a character that was cut in two. Its connection is given up where more follow. */
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

/** A name look-up that finds public addresses alone. */
function lookupPublic(
  hostname: string,
  _options: LookupOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
): void {
  callbackify(publicAddressesOf)(hostname, callback);
}

async function publicAddressesOf(hostname: string): Promise<LookupAddress[]> {
  const allowed = (await resolveName(hostname)).filter(({ address }) => isPublicAddress(address));
  if (allowed.length === 0) throw new Error(`${hostname} has no public address.`);
  return allowed;
}

/**
 * Asks the name servers. The system's own look-up would hold one of the process's four threads, which passwords are hashed in,
 * for as long as the name server of a tenant's choice takes.
 */
async function resolveName(hostname: string): Promise<LookupAddress[]> {
  const [v4, v6] = await Promise.allSettled([dns.resolve4(hostname), dns.resolve6(hostname)]);
  if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason;
  return [
    ...(v4.status === 'fulfilled' ? v4.value : []).map((address) => ({ address, family: 4 })),
    ...(v6.status === 'fulfilled' ? v6.value : []).map((address) => ({ address, family: 6 })),
  ];
}
