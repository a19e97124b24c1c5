import type { TestApp } from './test-app.ts';
import { JOBS_CHANNEL } from '../jobs/queue.ts';

/** The end of an UPDATE of `pgboss.job` after which the workers look for the changed jobs at once, and not at the next poll. */
export const NOTIFY_WORKERS = `RETURNING pg_notify('${JOBS_CHANNEL}', name)`;

/** Runs the completed jobs of a queue again whose data names this id, as if their workers had died before they acknowledged them. */
export const repeatJobs = ({ owner }: Pick<TestApp, 'owner'>, queue: string, member: string, id: string) =>
  owner.query(
    `UPDATE pgboss.job SET state = 'created', start_after = now(), completed_on = NULL
     WHERE name = $1 AND data->>$2 = $3 AND state = 'completed' ${NOTIFY_WORKERS}`,
    [queue, member, id],
  );
