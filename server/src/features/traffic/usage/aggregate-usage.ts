import type { Database } from '../../../database/database.ts';
import type { MailServices } from '../../messages/mail/index.ts';
import { aggregateEntries, insertWarnings } from './queries.ts';
import { warnOfUsage } from './warn-of-usage.ts';

/** The shares of a plan's units at which its workspace is warned, in per cent. */
const WARN_AT = [75, 90, 100] as const;

export type AggregationServices = MailServices & { database: Database };

/**
 * Moves what was charged into the daily totals, and warns whom it brought near the end of their plan: once for each share,
 * period and plan. Where it passed several at once it tells of the highest.
 */
export async function aggregateUsage(services: AggregationServices): Promise<void> {
  await services.database.forPlatform().transaction(async (transaction) => {
    const used = await aggregateEntries(transaction);
    if (used.length === 0) return;
    const due = await insertWarnings(transaction, used, WARN_AT);
    const highest = new Map(due.map((warning) => [warning.workspaceId, warning]));
    for (const warning of highest.values()) await warnOfUsage(services, transaction, warning);
  });
}
