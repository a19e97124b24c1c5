import type { ProblemError } from '../core/problem.ts';

/** The body of an error response (RFC 9457). `instance` is the path of the request, if it is known. */
export function problemDocument(
  { code, title, status, detail, details }: ProblemError,
  request: { instance?: string | undefined; requestId: string },
): object {
  return {
    type: `urn:guildhall:problem:${code}`,
    title,
    status,
    detail,
    instance: request.instance,
    code,
    requestId: request.requestId,
    ...details.members,
  };
}
