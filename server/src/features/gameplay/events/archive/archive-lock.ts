import type pg from 'pg';
import { OperatorError } from '../../../../core/operator-error.ts';
import { advisoryLocks } from '../../../../database/advisory-locks.ts';

/** Runs work while no other process archives events or deletes archived ones. Throws {@link OperatorError} if one does. */
export async function withArchiveLock<Result>(
  owner: pg.Pool,
  work: (client: pg.ClientBase) => Promise<Result>,
): Promise<Result> {
  const client = await owner.connect();
  try {
    if (!(await tryArchiveLock(client)))
      throw new OperatorError('Another process works on the archive. Try again later.');
    return await work(client);
  } finally {
    // The end of a connection releases the lock too, but PostgreSQL may notice it later.
    await releaseArchiveLock(client).catch(() => {});
    client.release(true);
  }
}

/** Takes the lock until the connection is closed. Returns false if another process has it. */
async function tryArchiveLock(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS granted', [
    advisoryLocks.eventArchive,
  ]);
  return rows[0].granted;
}

async function releaseArchiveLock(client: pg.ClientBase): Promise<void> {
  await client.query('SELECT pg_advisory_unlock($1)', [advisoryLocks.eventArchive]);
}
