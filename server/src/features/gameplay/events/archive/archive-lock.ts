import type pg from 'pg';
import { OperatorError } from '../../../../core/operator-error.ts';
import { tryLock, unlock } from '../../../../database/advisory-locks.ts';

/** Runs work while no other process archives events or deletes archived ones. Throws {@link OperatorError} if one does. */
export async function withArchiveLock<Result>(
  owner: pg.Pool,
  work: (client: pg.ClientBase) => Promise<Result>,
): Promise<Result> {
  const client = await owner.connect();
  try {
    if (!(await tryLock(client, 'eventArchive')))
      throw new OperatorError('Another process works on the archive. Try again later.');
    return await work(client);
  } finally {
    await unlock(client, 'eventArchive').catch(() => {});
    client.release(true);
  }
}
