import { JOBS_CHANNEL } from '../jobs/queue.ts';

/** The end of an UPDATE of `pgboss.job` after which the workers look for the changed jobs at once, and not at the next poll. */
export const NOTIFY_WORKERS = `RETURNING pg_notify('${JOBS_CHANNEL}', name)`;
