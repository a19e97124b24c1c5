import { OperatorError } from '../../../core/operator-error.ts';
import { tryLockUntilCommit } from '../../../database/advisory-locks.ts';
import type { Database } from '../../../database/database.ts';
import { markAbandoned } from './queries.ts';

/**
 * Abandons all waiting calls and their writers, and returns the number of calls. Throws {@link OperatorError} while a process
 * sends calls: it would continue with an abandoned writer, and the contract would refuse what is recorded after that.
 */
export function abandonWaiting(database: Database): Promise<number> {
  return database.transaction(async (transaction) => {
    if (!(await tryLockUntilCommit(transaction, 'chainSender')))
      throw new OperatorError(
        'A running process sends transactions to the chain. Stop all processes of Guildhall, and try again.',
      );
    return markAbandoned(transaction);
  });
}
