import type { FastifyRequest } from 'fastify';
import { ProblemError } from '../../core/problem.ts';

/** The most characters of the received type in the detail. */
const MOST_TYPE = 64;

/** Creates the error for a body of another content type than the accepted ones. */
export function unsupportedMediaType({ headers }: FastifyRequest, accepted: readonly string[]): ProblemError {
  const received = headers['content-type']?.split(';', 1)[0]!.trim().slice(0, MOST_TYPE);
  const isWrong = received ? `does not accept the content type ${received}` : 'needs a content type';
  return new ProblemError(
    'unsupported_media_type',
    `This endpoint ${isWrong}. Send the body as ${accepted.join(' or ')}.`,
  );
}
