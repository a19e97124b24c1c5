import type { Registry } from 'prom-client';
import { measureResults } from '../../../database/measure-results.ts';
import type { Database } from '../../../database/database.ts';
import { countRecentMails, MAX_RECENT_MAILS, RECENT_MINUTES } from './queries.ts';

/** Registers how the mail server treats the latest mails. */
export function measureMails(registry: Registry, database: Database): void {
  measureResults(registry, {
    name: 'guildhall_recent_mails',
    help:
      `Emails of the last ${RECENT_MINUTES} minutes, at most the last ${MAX_RECENT_MAILS}, by their last attempt: ` +
      'sent, deferred (another attempt follows), refused (for good).',
    read: () => countRecentMails(database),
  });
}
