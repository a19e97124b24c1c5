import type pg from 'pg';
import { makePartitions } from './database/partitions.ts';
import type { ScheduledJob } from './jobs/worker.ts';

/** Everything that the deployment does by the clock. */
export function scheduledJobs(owner: pg.Pool): ScheduledJob[] {
  return [
    {
      name: 'make-partitions',
      cron: '17 3 * * *',
      run: async () => void (await makePartitions(owner)),
    },
  ];
}
