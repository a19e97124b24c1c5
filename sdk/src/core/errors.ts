import type { ServerErrorCode } from './error-codes.ts';

/** The parts of a problem document (RFC 9457) that the client reads. */
export interface Problem {
  code?: string;
  status?: number;
  title?: string;
  detail?: string;
  requestId?: string | undefined;
  errors?: FieldError[];
  /** With `player_banned` at a sign-in. Without an end, `until` is null. */
  ban?: { reason: string | null; until: string | null };
  /** With `quota_exceeded`: the units of the plan. */
  quota?: { limit: number; used: number; periodStart: string; periodEnd: string };
  [member: string]: unknown;
}

/** The error of one field of a request. A rejected item of a list has `index`, `statusCode` and `error` instead. */
export interface FieldError {
  path?: string;
  message?: string;
  index?: number;
  statusCode?: number;
  error?: string;
  /** With a match that was not created. */
  playerId?: string;
  /** With results that were not written. */
  matchPlayerId?: string;
  [member: string]: unknown;
}

/** Codes of the client itself: for requests that got no answer of the API, and for events that the queue does not take. */
export type ClientErrorCode =
  | 'network_error'
  | 'timeout'
  | 'unexpected_answer'
  | 'not_signed_in'
  | 'event_dropped';

/** The known codes. A server that is newer than the client may have others. */
export type ErrorCode = ServerErrorCode | ClientErrorCode | (string & {});

/** A request was refused or got no answer. Decide by `code`. */
export class GuildhallError extends Error {
  override readonly name = 'GuildhallError';
  readonly code: ErrorCode;
  /** The HTTP status, or 0 if there was no answer. */
  readonly status: number;
  /** The error, and how to fix it. The text may change: show it, and decide by `code`. */
  readonly detail: string;
  readonly errors: FieldError[];
  /** Quote it when you report a problem. */
  readonly requestId: string | undefined;
  /** After how many seconds the same request may succeed. */
  readonly retryAfter: number | undefined;
  /** The whole problem document, with members such as `quota` and `ban`. */
  readonly problem: Problem;

  constructor(problem: Problem & { code: ErrorCode; retryAfter?: number | undefined }, cause?: unknown) {
    const { retryAfter, ...rest } = problem;
    const detail = rest.detail ?? rest.title ?? rest.code;
    super(detail, { cause });
    this.code = rest.code;
    this.status = rest.status ?? 0;
    this.detail = detail;
    this.errors = rest.errors ?? [];
    this.requestId = rest.requestId;
    this.retryAfter = retryAfter;
    this.problem = rest;
  }

  /** Whether the request may have been carried out, because no complete answer arrived. */
  get isUncertain(): boolean {
    const isUnanswered = ['network_error', 'timeout', 'unexpected_answer'].includes(this.code);
    return this.status >= 500 || (this.status === 0 && isUnanswered);
  }
}

/** Makes an error of the client itself, for a request that got no answer of the API. */
export function clientError(code: ClientErrorCode, detail: string, cause?: unknown): GuildhallError {
  return new GuildhallError({ code, detail, status: 0 }, cause);
}

/** A game key that does not work, and a gateway that answers instead of the server, say nothing about the session. */
export function isAboutSession({ status, code }: GuildhallError): boolean {
  return (
    (status === 401 || status === 403) &&
    !['unexpected_answer', 'missing_game_key', 'invalid_game_key'].includes(code)
  );
}

/** Makes the error of a refused request. Proxies in between may answer with something else than a problem document. */
export async function errorOf(response: Response): Promise<GuildhallError> {
  const text = await response.text().catch(() => '');
  const { status, headers, redirected, url } = response;
  const retryAfter = secondsOf(headers.get('retry-after'));
  const requestId = headers.get('x-request-id') ?? undefined;
  let problem: Problem = {};
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null) problem = parsed as Problem;
  } catch {
    // Not a problem document.
  }
  // The answer of a gateway may have members of these names with other types.
  const { detail: given, errors } = problem as Record<string, unknown>;
  const detail = typeof given === 'string' ? given : `The server answered ${status}.`;
  return new GuildhallError({
    requestId,
    ...problem,
    errors: Array.isArray(errors) ? (errors as FieldError[]) : [],
    // After a redirect, a browser sends GET instead of POST, or no token.
    detail: redirected ? `${detail} The request was redirected to ${url}. Check baseUrl.` : detail,
    code: typeof problem.code === 'string' ? problem.code : 'unexpected_answer',
    status,
    retryAfter,
  });
}

/** Reads `Retry-After`, which has seconds or a date. */
function secondsOf(retryAfter: string | null): number | undefined {
  if (!retryAfter) return undefined;
  const seconds = /^\d+$/.test(retryAfter)
    ? Number(retryAfter)
    : (Date.parse(retryAfter) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : undefined;
}
