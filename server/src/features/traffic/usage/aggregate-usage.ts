import { runSteps, STEPS_PER_RUN } from '../../../core/concurrency/run-steps.ts';
import type { Database } from '../../../database/database.ts';
import type { MailServices } from '../../messages/mail/index.ts';
import { aggregateEntries } from './queries.ts';
import { warnOfUsage } from './warn-of-usage.ts';

/** Entries that one transaction moves. 100,000 of 5,000 keys take 0.15 seconds. */
const ENTRIES_PER_STEP = 100_000;

/** Aggregates charged usage into the daily totals, all of it if there is not much, and warns the workspaces that were charged. */
export async function aggregateUsage(
  services: MailServices & { database: Database },
  entriesPerStep = ENTRIES_PER_STEP,
): Promise<void> {
  await runSteps(
    entriesPerStep,
    (limit) =>
      services.database.forPlatform().transaction(async (transaction) => {
        const { moved, usage } = await aggregateEntries(transaction, limit);
        await warnOfUsage(services, transaction, usage);
        return moved;
      }),
    STEPS_PER_RUN,
  );
}
