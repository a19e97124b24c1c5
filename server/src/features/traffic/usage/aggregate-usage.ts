import { runSteps } from '../../../core/run-steps.ts';
import type { Database, Querier } from '../../../database/database.ts';
import type { MailServices } from '../../messages/mail/index.ts';
import { notifyTeam } from '../../messages/notifications/index.ts';
import { publish } from '../../messages/webhooks/index.ts';
import { aggregateEntries, insertWarnings, type UsageWarning } from './queries.ts';

/** Percentages of the plan's units at which the workspace is warned. */
const WARN_AT_PERCENT = [75, 90, 100] as const;

export type AggregationServices = MailServices & { database: Database };

/** Entries that one transaction moves. 100,000 of 5,000 keys take 0.15 seconds. */
const ENTRIES_PER_STEP = 100_000;

/**
 * Aggregates charged usage into the daily totals, all of it if there is not much. Warns each workspace that has reached a warning
 * percentage, once per percentage, period and plan. If it has reached several at once, only the highest is sent.
 */
export async function aggregateUsage(
  services: AggregationServices,
  entriesPerStep = ENTRIES_PER_STEP,
): Promise<void> {
  await runSteps(entriesPerStep, () =>
    services.database.forPlatform().transaction(async (transaction) => {
      const { moved, usage } = await aggregateEntries(transaction, entriesPerStep);
      if (usage.length === 0) return moved;
      const due = await insertWarnings(transaction, usage, WARN_AT_PERCENT);
      const highest = new Map(due.map((warning) => [warning.workspaceId, warning]));
      for (const warning of highest.values()) await sendWarning(services, transaction, warning);
      return moved;
    }),
  );
}

/** Notifies the team and the webhooks of a workspace about the share of its plan that is used. */
async function sendWarning(
  services: MailServices,
  transaction: Querier,
  { workspaceId, ...data }: UsageWarning,
): Promise<void> {
  const { percent, used, limit, periodEnd } = data;
  await notifyTeam(services, transaction, workspaceId, {
    type: 'usage.warning',
    title: `${percent} % of the units of your plan are used`,
    text: `${count(used)} of ${count(limit)} units of this month are used. The next period begins on ${periodEnd.slice(0, 10)}.`,
    data,
    toUnverified: true,
  });
  await publish(services, transaction, { type: 'usage.warning', workspaceId, data });
}

const count = (units: number) => units.toLocaleString('en-US');
