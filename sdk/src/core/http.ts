import type { Api, CommonOptions } from './api-types.ts';
import { clientError, errorOf, GuildhallError } from './errors.ts';
import { parseJson, writeJson } from './json.ts';

export interface HttpOptions {
  /** The address of the server, for example `https://api.example`. */
  baseUrl: string | URL;
  /** Replaces the global `fetch`, for example in a test. */
  fetch?: typeof fetch | undefined;
  /**
   * How long each attempt of a request may take with its answer and a renewal of the session, 30 seconds by default. `Infinity` sets no
   * limit. Streams may take longer. A signal (`with`) limits a whole call.
   */
  timeoutMs?: number | undefined;
}

/** How a client proves who it is. */
export interface Credential {
  /** The headers of a request. They may change from request to request. */
  headers(options: RequestOptions): Promise<Record<string, string>>;
  /** Called after a 401 `invalid_bearer`: returns whether the request may be sent again with new headers. */
  renew?(refused: Record<string, string>): Promise<boolean>;
}

export interface RequestOptions extends CommonOptions {
  params?: {
    path?: Record<string, unknown>;
    query?: Record<string, unknown>;
    header?: Record<string, unknown>;
  };
  body?: unknown;
  /** How the body of the answer is read: as JSON or text if this is missing. */
  readAs?: 'text' | 'blob' | 'response';
  keepalive?: boolean;
  /** The player whose request this is. It is not sent if somebody else is signed in by now. */
  playerId?: string;
}

/** Sends one request and returns the data of the answer. Throws a `GuildhallError` if it is refused. */
export type Send = (method: string, path: string, options?: RequestOptions) => Promise<unknown>;

const TIMEOUT_MS = 30_000;
/** A longer timer would end at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export function createSend(
  { baseUrl, timeoutMs = TIMEOUT_MS, fetch: request = (...call) => fetch(...call) }: HttpOptions,
  credential: Credential,
): Send {
  const base = baseOf(baseUrl);
  if (!(timeoutMs > 0)) throw new TypeError(`The timeoutMs must be above 0, not ${timeoutMs}.`);

  async function attempt(
    url: string,
    init: RequestInit & { signal: AbortSignal },
    readAs: RequestOptions['readAs'],
  ): Promise<unknown> {
    try {
      const response = await request(url, init);
      if (!response.ok) throw await errorOf(response);
      return await readAnswer(response, url, readAs);
    } catch (error) {
      if (error instanceof GuildhallError || init.signal.aborted) throw error;
      const detail = `The server cannot be reached at ${base}, or its answer is incomplete.${corsHint(url)}`;
      throw clientError('network_error', detail, error);
    }
  }

  /** Sends a request, and once more if its credential was refused and could be renewed. */
  async function sendRenewed(
    method: string,
    url: string,
    options: RequestOptions,
    signal: AbortSignal,
  ): Promise<unknown> {
    const { params, body, keepalive, readAs } = options;
    const isRaw = typeof body === 'string' || body instanceof Blob || body instanceof FormData;
    for (let isSecond = false; ; isSecond = true) {
      const proof = await unlessAborted(credential.headers(options), signal);
      const init = {
        method,
        headers: {
          ...(body !== undefined && !isRaw && { 'content-type': 'application/json' }),
          ...proof,
          ...texts(params?.header),
          ...options.headers,
        },
        ...(body !== undefined && { body: isRaw ? body : writeJson(body) }),
        ...(keepalive && { keepalive }),
        signal,
      };
      // Throws a TypeError if the address or a header cannot be sent. `fetch` would throw it like an error of the network.
      void new Request(url, { method, headers: init.headers });
      try {
        return await attempt(url, init, readAs);
      } catch (error) {
        const isExpired = error instanceof GuildhallError && error.code === 'invalid_bearer';
        if (isSecond || !isExpired || !credential.renew) throw error;
        if (!(await unlessAborted(credential.renew(proof), signal))) throw error;
      }
    }
  }

  return async (method, path, options = {}) => {
    const { signal } = options;
    const url = base + addressOf(path, options.params);
    const limit = new AbortController();
    const timer =
      timeoutMs === Infinity
        ? undefined
        : setTimeout(() => limit.abort(), Math.min(timeoutMs, LONGEST_TIMER_MS));
    const cancel = () => limit.abort(signal?.reason);
    signal?.addEventListener('abort', cancel, { once: true });
    if (signal?.aborted) cancel();
    // The caller's signal ends a stream that the caller still reads.
    let isOpen = false;
    try {
      const answer = await sendRenewed(method, url, options, limit.signal);
      isOpen = options.readAs === 'response';
      return answer;
    } catch (error) {
      if (error instanceof GuildhallError || !limit.signal.aborted) throw error;
      signal?.throwIfAborted();
      throw clientError(
        'timeout',
        `The server at ${base} did not answer within ${timeoutMs / 1000} seconds.`,
        error,
      );
    } finally {
      clearTimeout(timer);
      if (!isOpen) signal?.removeEventListener('abort', cancel);
    }
  };
}

/** Browsers do not say why a request failed. Often the server does not allow the page. */
function corsHint(url: string): string {
  if (typeof document === 'undefined') return '';
  const { origin } = self;
  if (origin === 'null')
    return ' This page runs in a sandboxed frame without an origin. Add allow-same-origin to the frame, or set CORS_ORIGINS to * on the server.';
  if (new URL(url, document.baseURI).origin === origin) return '';
  return ` If it runs, check that its setting CORS_ORIGINS has ${origin}, the origin of this page.`;
}

/** The address of the server without a slash at its end. A setting that is missing would look like a network that is down. */
export function baseOf(baseUrl: string | URL): string {
  const address = String(baseUrl).trim();
  // A page may name a path of its own server, such as /guildhall.
  if (!/^(https?:\/)?\/[^?#]*$/.test(address) || !URL.canParse(address, 'https://page.example'))
    throw new TypeError(
      `The baseUrl is the address of the server, such as https://api.example, not ${baseUrl}.`,
    );
  return address.replace(/\/+$/, '');
}

/** The header of the game key. */
export const gameKeyHeader = (gameKey: string): { 'x-game-key': string } => ({
  'x-game-key': requireKey('game', gameKey),
});

/** The header of the API key. */
export const apiKeyHeader = (apiKey: string): { 'x-api-key': string } => ({
  'x-api-key': requireKey('api', apiKey),
});

/** A missing setting or the placeholder of an example would be sent as a wrong key. */
function requireKey(kind: 'game' | 'api', key: string): string {
  if (!key) throw new TypeError(`The ${kind}Key is missing. Create one in the console.`);
  if (!new RegExp(`^gh_${kind}_\\w+$`).test(key))
    throw new TypeError(
      `The ${kind}Key must begin with gh_${kind}_ and contain only letters and digits. Create one in the console.`,
    );
  return key;
}

/** All requests share one refresh of the session. The refresh continues if one of the requests is aborted. */
function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    work.then(resolve, reject);
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}

/** Makes the typed calls of all operations. Their types are those of the OpenAPI document. */
export function createApi(send: Send): Api {
  const call = (method: string) => (path: string, options?: RequestOptions) => send(method, path, options);
  const calls = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE'].map((method) => [method, call(method)]);
  return Object.fromEntries(calls) as Api;
}

/** The types of the answers that are not JSON: exports, images, the notifications and the metrics. */
const OTHER_TYPES = /^(text\/csv|application\/x-ndjson|image\/|text\/event-stream|text\/plain; ?version=)/;

async function readAnswer(
  response: Response,
  url: string,
  readAs: RequestOptions['readAs'],
): Promise<unknown> {
  const type = response.headers.get('content-type') ?? '';
  const isJson = /[/+]json/.test(type);
  // The network may have a gateway with a sign-in page, or the address is that of a web page.
  if (response.status !== 204 && !isJson && !OTHER_TYPES.test(type)) {
    // A body that nobody reads would keep its connection open.
    response.body?.cancel().catch(() => {});
    throw clientError(
      'unexpected_answer',
      `${response.url || url} answered with ${type || 'no content type'}, which is not an answer of the API. Check baseUrl and the network.`,
    );
  }
  if (readAs === 'response') return response;
  if (readAs === 'blob') return response.blob();
  if (response.status === 204 && !readAs) return undefined;
  const text = await response.text();
  return isJson && !readAs ? parseJson(text) : text;
}

function addressOf(path: string, { path: values = {}, query = {} }: RequestOptions['params'] = {}): string {
  const filled = path.replace(/\{(\w+)\}/g, (_match, name: string) => segmentOf(name, values[name]));
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) =>
      [value]
        .flat()
        .filter((one) => one !== undefined && one !== null)
        .map((one) => [name, String(one)]),
    ),
  ).toString();
  return search ? `${filled}?${search}` : filled;
}

/** A part of the path. Without a value, or with a step such as `..`, the address would be that of another operation. */
function segmentOf(name: string, value: unknown): string {
  const text = String(value ?? '');
  if (['', '.', '..'].includes(text))
    throw new TypeError(`The path parameter ${name} needs a value, not "${text}".`);
  return encodeURIComponent(text);
}

function texts(values: Record<string, unknown> = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, String(value)]),
  );
}
