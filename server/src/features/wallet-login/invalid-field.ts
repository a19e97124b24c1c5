import { Problem } from '../../shared/problem.ts';

/** The refusal of a field that is well formed, and yet not valid. */
export function invalidField(path: string, message: string): Problem {
  return new Problem('invalid_request', {
    detail: `${path} ${message}.`,
    members: { errors: [{ path, message }] },
  });
}
