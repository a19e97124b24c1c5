import { problemCatalogue, type ProblemCode } from './problem-catalogue.ts';

export type { ProblemCode };

/** Optional parts of a problem. */
export interface ProblemDetails {
  /** Replaces the default detail. It says what is wrong with this request, then what to do. */
  detail?: string;
  /** The value of the header `Retry-After`. Unit: seconds. */
  retryAfter?: number;
  /** Further headers of the response. */
  headers?: Record<string, string>;
  /** Further members of the problem document, such as `errors`. */
  members?: Record<string, unknown>;
}

/** An error for the caller. Any code may throw it, and the response is `application/problem+json` (RFC 9457). */
export class ProblemError extends Error {
  override name = 'ProblemError';
  readonly code: ProblemCode;
  readonly details: ProblemDetails;

  /** The `cause` is logged, and not sent to the caller. */
  constructor(code: ProblemCode, details: ProblemDetails | string = {}, options?: ErrorOptions) {
    const normalised = typeof details === 'string' ? { detail: details } : details;
    super(normalised.detail || problemCatalogue[code][2], options);
    this.code = code;
    this.details = normalised;
  }

  get status(): number {
    return problemCatalogue[this.code][0];
  }

  get title(): string {
    return problemCatalogue[this.code][1];
  }

  /** The detail for the caller, which is also the message of the error. */
  get detail(): string {
    return this.message;
  }
}

/** Whether a request was refused because the server has too many of its kind. */
export function isBusy(error: unknown): boolean {
  return error instanceof ProblemError && error.code === 'busy';
}

/** Creates the error for a field with an invalid value. `path` is the path of the field in the request. */
export function invalidField(path: string, message: string, detail = `${path} ${message}.`): ProblemError {
  return new ProblemError('invalid_request', { detail, members: { errors: [{ path, message }] } });
}

/** Creates the error for a range of time that ends before it begins. */
export function emptyRange(): ProblemError {
  return invalidField('from', 'must be earlier than to', 'The range is empty: from must be earlier than to.');
}
