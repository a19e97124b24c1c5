import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, fetch } from 'undici';
import { OperatorError } from '../core/operator-error.ts';

/** Thrown if the simulation cannot begin or continue. */
export class SimulationError extends OperatorError {
  override name = 'SimulationError';
}

export interface Answer {
  status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- the simulation reads responses without types
  body: any;
}

/** The part of the API that players and matches need. */
export type Sender = Pick<Api, 'send'>;

/** Sends requests with a game key over at most {@link MAX_CONNECTIONS} connections. */
export interface Api {
  /** Throws {@link SimulationError} if no server responds, or if it refuses the key. */
  check(): Promise<void>;
  /**
   * Sends a request until the server answers it. Waits as `Retry-After` says if the rate limit is reached or the
   * server is busy. Throws {@link SimulationError} if the key is refused, the quota is used up, or the server does not
   * respond for {@link ABSENT_MS}.
   */
  send(method: string, path: string, body?: unknown, bearer?: string): Promise<Answer>;
  /** Sends a request once, and returns its status. Undefined if no answer arrives. */
  sendOnce(method: string, path: string, body?: string, bearer?: string): Promise<number | undefined>;
  /** Whether requests wait because the server asked for a pause. */
  isPaused(): boolean;
  /** The number of requests that were sent. */
  requests(): number;
  close(): Promise<void>;
}

export const MAX_CONNECTIONS = 16;

/** A match that cannot exist. A 404 for it shows that the server responds and accepts the key. */
export const NO_MATCH = '/api/game/matches/00000000-0000-0000-0000-000000000000';

const ABSENT_MS = 10_000;
const ANSWER_WITHIN_MS = 15_000;
const LONGEST_PAUSE_MS = 60_000;

/** Opens the connections. `stop` ends all waits. */
export function openApi(baseUrl: string, gameKey: string, stop: AbortSignal): Api {
  const dispatcher = new Agent({ connections: MAX_CONNECTIONS, pipelining: 1 });
  let sent = 0;
  let pausedUntil = 0;

  const request = async (method: string, path: string, body?: string, bearer?: string) => {
    sent++;
    const response = await fetch(baseUrl + path, {
      method,
      dispatcher,
      headers: headersOf(gameKey, bearer, body !== undefined),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      ...(body !== undefined && { body }),
    });
    const text = await response.text();
    return { status: response.status, retryAfter: response.headers.get('retry-after'), text };
  };

  return {
    async check() {
      const { status, text } = await request('GET', NO_MATCH).catch((error: unknown) => {
        throw new SimulationError(
          `No server answers at ${baseUrl} (${reasonOf(error)}). Start it with \`npm start\`, or set --url.`,
        );
      });
      if (status === 401)
        throw new SimulationError(`${baseUrl} refuses the game key: ${problemOf(text).detail}`);
      if (status === 503) throw new SimulationError(`${baseUrl} is not ready: ${problemOf(text).detail}`);
      if (status !== 404)
        throw new SimulationError(
          `${baseUrl} is not a Guildhall server: it answered ${status}. Check --url.`,
        );
    },
    async send(method, path, body, bearer) {
      const text = body === undefined ? undefined : JSON.stringify(body);
      let absentSince: number | undefined;
      for (let attempt = 1; ; attempt++) {
        await pause(pausedUntil - performance.now(), stop);
        const answer = await request(method, path, text, bearer).catch((error: unknown) => {
          absentSince ??= performance.now();
          if (stop.aborted || performance.now() - absentSince > ABSENT_MS)
            throw new SimulationError(`${baseUrl} does not respond any more: ${reasonOf(error)}.`, {
              cause: error,
            });
          return undefined;
        });
        if (!answer) {
          await pause(Math.min(100 * 2 ** attempt, 2000), stop);
          continue;
        }
        absentSince = undefined;
        const { status, retryAfter } = answer;
        const { code, detail } = status >= 400 ? problemOf(answer.text) : {};
        if (code === 'invalid_game_key')
          throw new SimulationError(`${baseUrl} refuses the game key: ${detail}`);
        if (code === 'quota_exceeded')
          throw new SimulationError(`The quota of the workspace is used up: ${detail}`);
        if ((code !== 'rate_limited' && status !== 503) || stop.aborted)
          return { status, body: answer.text === '' ? undefined : parse(answer.text) };
        const seconds = Number(retryAfter ?? 1);
        const waitMs = Math.min(Number.isNaN(seconds) ? 1000 : seconds * 1000, LONGEST_PAUSE_MS);
        pausedUntil = Math.max(pausedUntil, performance.now() + waitMs);
      }
    },
    async sendOnce(method, path, body, bearer) {
      const answer = await request(method, path, body, bearer).catch(() => undefined);
      return answer?.status;
    },
    isPaused: () => performance.now() < pausedUntil,
    requests: () => sent,
    close: () => dispatcher.close(),
  };
}

/** The headers of a request of a game server, or of one of its players if there is a `bearer` token. */
export function headersOf(
  gameKey: string,
  bearer: string | undefined,
  hasBody: boolean,
): Record<string, string> {
  return {
    'x-game-key': gameKey,
    ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
    ...(hasBody && { 'content-type': 'application/json' }),
  };
}

/** Waits, or returns early when the simulation stops. */
export async function pause(ms: number, stop: AbortSignal): Promise<void> {
  if (ms > 0 && !stop.aborted) await sleep(ms, undefined, { signal: stop }).catch(() => {});
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { code?: string; message?: string } };
  return cause?.code ?? (cause?.message || message || 'unknown');
}

function problemOf(text: string): { code?: string; detail?: string } {
  const problem = parse(text) as { code?: string; detail?: string; title?: string } | undefined;
  return {
    ...(problem?.code && { code: problem.code }),
    detail: problem?.detail ?? problem?.title ?? text.slice(0, 200),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
