import { Problem } from '../../shared/problem.ts';

/** One answer for every mailed token that does not work, whatever the reason. */
export function wrongToken(): Problem {
  return new Problem(
    'invalid_credentials',
    'The token is wrong, was used, or has expired. Request a new one.',
  );
}
