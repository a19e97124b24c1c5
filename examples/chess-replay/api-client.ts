/** Thrown if a request fails and a retry would not help, or if all retries have failed. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface Answer {
  status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- the example reads responses without types
  body: any;
}

export interface SendOptions {
  /** The access token of the player who acts. */
  bearer?: string;
  /** Statuses besides 2xx that the caller handles. */
  accept?: number[];
}

/** The part of Guildhall's API that a game server with a game key uses. */
export interface ApiClient {
  /** Sends one request without a retry. Throws {@link ApiError} if no server responds, or if it refuses the game key. */
  check(): Promise<void>;
  send(method: 'POST' | 'PUT', path: string, body?: unknown, options?: SendOptions): Promise<Answer>;
}

/** A match that cannot exist. A 404 for it shows that the server responds and accepts the key. */
const NO_MATCH = '/api/game/matches/00000000-0000-0000-0000-000000000000';

const ATTEMPTS = 10;
const LONGEST_WAIT_MS = 60_000;

/**
 * Creates a client with retries: after `Retry-After` on 429 and 503, and with exponential backoff after a broken connection.
 * Throws {@link ApiError} for every other error status.
 */
export function createApiClient(baseUrl: string, gameKey: string): ApiClient {
  return {
    async check() {
      const response = await fetch(baseUrl + NO_MATCH, {
        headers: { 'x-game-key': gameKey },
        signal: AbortSignal.timeout(10_000),
      }).catch((error: unknown) => {
        throw new ApiError(
          0,
          `No server answers at ${baseUrl} (${reasonOf(error)}). Start Guildhall with \`npm start\`, or set --url.`,
        );
      });
      if (response.status === 401)
        throw new ApiError(401, `${baseUrl} refuses the game key: ${detailOf(await response.text())}`);
      if (response.status !== 404)
        throw new ApiError(
          response.status,
          `${baseUrl} is not a Guildhall server: it answered ${response.status}.`,
        );
    },
    async send(method, path, body, { bearer, accept = [] } = {}) {
      for (let attempt = 1; ; attempt++) {
        const pause = 100 * 2 ** attempt * (1 + Math.random());
        let response: Response;
        let text: string;
        try {
          response = await fetch(baseUrl + path, {
            method,
            headers: {
              'x-game-key': gameKey,
              ...(bearer && { authorization: `Bearer ${bearer}` }),
              ...(body !== undefined && { 'content-type': 'application/json' }),
            },
            signal: AbortSignal.timeout(60_000),
            ...(body !== undefined && { body: JSON.stringify(body) }),
          });
          text = await response.text();
        } catch (error) {
          if (attempt === ATTEMPTS) throw new ApiError(0, `${baseUrl} does not respond: ${reasonOf(error)}.`);
          await wait(pause);
          continue;
        }
        const { status } = response;
        if (response.ok || accept.includes(status)) return { status, body: text && JSON.parse(text) };
        if ((status !== 429 && status !== 503) || attempt === ATTEMPTS) {
          throw new ApiError(status, `${method} ${path} answered ${status}: ${detailOf(text)}`);
        }
        await wait(parseRetryAfter(response.headers.get('retry-after')) ?? pause);
      }
    },
  };
}

/** Parses `Retry-After`, which is a number of seconds or a date, to milliseconds. */
export function parseRetryAfter(retryAfter: string | null, now = Date.now()): number | undefined {
  if (retryAfter === null || retryAfter.trim() === '') return undefined;
  const seconds = Number(retryAfter);
  const ms = Number.isNaN(seconds) ? Date.parse(retryAfter) - now : seconds * 1000;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), LONGEST_WAIT_MS);
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.min(ms, LONGEST_WAIT_MS)));
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { code?: string; message?: string } };
  return cause?.code ?? (cause?.message || message || 'unknown');
}

/** The code and detail of a problem document, or the first 200 characters of another body. */
function detailOf(text: string): string {
  try {
    const { code, detail, title } = JSON.parse(text) as Record<string, string>;
    return `${code}: ${detail ?? title}`;
  } catch {
    return text.slice(0, 200);
  }
}
