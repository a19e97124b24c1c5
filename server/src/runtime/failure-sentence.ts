import { isDatabaseUnavailable } from '../core/database-unavailable.ts';
import { OperatorError } from '../core/operator-error.ts';
import { isReadOnly } from '../database/errors.ts';
import { READ_ONLY } from '../database/migrate.ts';

/** The sentence for the operator about a failure. Undefined if it is a defect, which needs its stack. */
export function failureSentence(error: unknown): string | undefined {
  if (error instanceof OperatorError) return error.message;
  if (isReadOnly(error)) return READ_ONLY;
  if (error instanceof Error && isDatabaseUnavailable(error))
    return `PostgreSQL is not available: ${error.message}. Check that it runs, and that it has connections and space on its disk.`;
  return undefined;
}
