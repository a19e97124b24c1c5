import { ProblemError } from '../../../core/problem.ts';

/** One answer for every mailed token that does not work, whatever the reason. */
export function wrongToken(): ProblemError {
  return new ProblemError(
    'invalid_credentials',
    'The token is wrong, was used, or has expired. Request a new one.',
  );
}
