import type { ErrorObject } from 'ajv';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { isDatabaseUnavailable } from '../core/database-unavailable.ts';
import { ProblemError } from '../core/problem.ts';
import { quotaExceeded, type Quota } from '../core/quota.ts';
import { sizeInWords } from './bodies/body-limits.ts';
import { problemDocument } from './problem-document.ts';
import { unsupportedMediaType } from './bodies/unsupported-media-type.ts';
import { unknownPath, validationProblem } from './validation/validation-problem.ts';

/** Sends a problem document. `members` has further members, as the JSON text of an object that is not empty. */
export function sendProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  problem: ProblemError,
  members?: Buffer,
): FastifyReply {
  const { retryAfter, headers = {} } = problem.details;
  request.problemCode = problem.code;
  if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
  if (problem.status === 401) reply.header('www-authenticate', challengesOf(request));
  const document = problemDocument(problem, {
    instance: request.url.split('?', 1)[0],
    requestId: request.id,
  });
  return reply
    .code(problem.status)
    .headers(headers)
    .type('application/problem+json')
    .serializer(JSON.stringify)
    .send(members ? withMembers(document, members) : document);
}

const withMembers = (document: object, members: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${JSON.stringify(document).slice(0, -1)},`), members.subarray(1)]);

/**
 * The credentials that an operation takes, as a 401 must name them (RFC 9110, 11.6.1). No authentication scheme is registered for keys, so
 * theirs names the header.
 */
function challengesOf({ routeOptions }: FastifyRequest): string {
  const schemes = (routeOptions.schema?.security ?? []).flatMap((alternative) => Object.keys(alternative));
  const challenges = schemes.map((scheme) => KEY_CHALLENGES[scheme] ?? 'Bearer');
  // A sign-in of an account takes no credential. The next request takes the token that it returns.
  return [...new Set(challenges)].join(', ') || 'Bearer';
}

const KEY_CHALLENGES: Record<string, string> = {
  gameKey: 'ApiKey header="X-Game-Key"',
  apiKey: 'ApiKey header="X-API-Key"',
};

/** Turns a thrown value into a problem document. Unexpected errors are logged and become a 500 without details. */
export function errorHandler(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const problem = error instanceof ProblemError ? error : translate(error, request);
  if (problem.status === 500) request.log.error({ err: error }, 'request failed');
  // While the database is unavailable every request fails, so the log line has no stack trace. If the server stops, there is no cause.
  else if (problem.code === 'unavailable' && problem.cause)
    request.log.error({ reason: (problem.cause as Error).message }, 'the database is unavailable');
  // The cause may name neither the storage nor the setting, such as "no space left on device". docs/errors.md explains the code.
  else if (problem.cause) request.log.warn({ code: problem.code, err: problem.cause }, 'request refused');
  return sendProblem(request, reply, problem);
}

function translate(error: FastifyError, request: FastifyRequest): ProblemError {
  if (error.validation) {
    const errors = error.validation as readonly ErrorObject[];
    if (error.validationContext === 'params') return unknownPath(errors);
    return validationProblem(error.validationContext, errors, request.query);
  }
  switch (error.code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE': {
      const { consumes } = request.routeOptions.schema ?? {};
      return unsupportedMediaType(request, consumes ?? ['application/json']);
    }
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ProblemError(
        'body_too_large',
        `The body may be at most ${sizeInWords(request.routeOptions.bodyLimit)}.`,
      );
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return new ProblemError('malformed_json', 'The body is empty. Send a JSON value.');
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new ProblemError('malformed_json');
    // PostgreSQL cancelled the statement: a timeout of the statement or of a lock passed, or an operator cancelled it.
    case '57014':
    case '55P03':
      return new ProblemError('query_timeout', { retryAfter: 5 });
    // Several attempts ended in a deadlock.
    case '40P01':
      return new ProblemError(
        'busy',
        {
          detail: 'Other requests changed the same data at the same time. Send the request again.',
          retryAfter: 1,
        },
        { cause: error },
      );
    // Raised by the SQL function that charges units (migration 0008).
    case 'GH002':
      return quotaExceeded(JSON.parse((error as FastifyError & { detail: string }).detail) as Quota);
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new ProblemError('not_found');
  }
  // An error of the client's connection has a status.
  if (error.statusCode === undefined && isDatabaseUnavailable(error)) {
    const detail =
      'The database does not answer. The request may or may not have taken effect. Retry after the number of seconds in Retry-After.';
    return new ProblemError('unavailable', { detail, retryAfter: 5 }, { cause: error });
  }
  // A stop closes the connections to the database when all clients are served. The client of a request that still runs has left.
  if (error.message?.startsWith('Cannot use a pool after calling end'))
    return new ProblemError('unavailable');
  // Fastify's own request errors carry a 4xx status, for example when the path cannot be decoded.
  if (error.statusCode && error.statusCode >= 400 && error.statusCode < 500)
    return new ProblemError('invalid_request');
  return new ProblemError('internal_error');
}
