import { ProblemError } from '../../../core/problem.ts';

/** Creates the error for an access token whose session was revoked for a security reason. */
export function revokedSessionError(): ProblemError {
  return new ProblemError('invalid_bearer', 'The session of this token was revoked. Sign in again.');
}
