import type pg from 'pg';
import { runEach } from '../core/concurrency/run-each.ts';
import type { Database } from '../database/database.ts';
import { createPartitions } from '../database/partitions/create-partitions.ts';
import { archiveOldEvents, openArchive, type ArchiveSettings } from '../features/gameplay/events/index.ts';
import { listTenantIds } from '../features/studio/tenants/index.ts';
import { groups } from './feature-groups.ts';
import type { Config } from './config.ts';
import { readCheckedClock } from './checked-clock.ts';
import { applyRetention } from './retention.ts';
import type { ScheduledJob } from '../jobs/worker.ts';

/** The scheduled jobs of all features and of the runtime. */
export function scheduledJobs(
  owner: pg.Pool,
  database: Database,
  settings: Pick<Config, 'retention' | 'archiveAfterMonths' | keyof ArchiveSettings>,
): ScheduledJob[] {
  const { retention, archiveAfterMonths } = settings;
  const upkeep = { owner, database, archive: openArchive(settings) };
  const schedules = groups.flatMap(({ schedules = [] }) => schedules);
  return [
    {
      name: 'make-partitions',
      cron: '17 3 * * *',
      run: () => createPartitions(owner),
    },
    {
      name: 'drop-old-partitions',
      cron: '32 3 * * *',
      run: () => applyRetention(upkeep, retention),
    },
    {
      name: 'archive-events',
      cron: '2 4 * * *',
      async run() {
        if (archiveAfterMonths === undefined) return;
        // PostgreSQL does not have the idempotency keys of an archived month. Events that clients send again would be counted twice.
        await readCheckedClock(database, 'ARCHIVE_AFTER_MONTHS archives nothing');
        await archiveOldEvents(upkeep, archiveAfterMonths);
      },
    },
    {
      name: 'delete-expired-rows',
      cron: '47 3 * * *',
      run: () => deleteExpired(database),
    },
    ...schedules.map(({ name, cron, run }) => ({ name, cron, run: () => run(database) })),
  ];
}

/** Deletes the rows that the features declare as expired. */
async function deleteExpired(database: Database): Promise<void> {
  const platform = database.forPlatform();
  const tenantIds = await listTenantIds(platform);
  const expiries = groups.flatMap(({ expiry }) => expiry ?? []);
  function* steps(): Generator<() => Promise<unknown>> {
    for (const { ofPlatform = [] } of expiries) for (const erase of ofPlatform) yield () => erase(platform);
    for (const { global = [] } of expiries) for (const erase of global) yield () => erase(database);
    // Last: ten tenants whose steps fail end the run.
    for (const tenantId of tenantIds)
      for (const { ofTenant = [] } of expiries)
        for (const erase of ofTenant) yield () => erase(database.forTenant(tenantId), tenantId);
  }
  await runEach(steps());
}
