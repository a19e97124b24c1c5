import type pg from 'pg';
import type { Database } from '../database/database.ts';
import { createPartitions } from '../database/partitions.ts';
import { sql } from '../database/sql.ts';
import { deleteExpiredAccountTokens } from '../features/studio/accounts/index.ts';
import { deleteExpiredThirdPartyTokens } from '../features/sign-in/assertions/index.ts';
import {
  deleteExpiredCodesAndTokens,
  deletePendingCredentials,
  NOTICES,
} from '../features/sign-in/email/index.ts';
import { deleteOldAnswers } from '../features/platform/idempotency/index.ts';
import { deleteOldMails } from '../features/messages/mail/index.ts';
import { deleteOldInvitations } from '../features/studio/members/index.ts';
import { deleteOldNotifications } from '../features/messages/notifications/index.ts';
import { deleteExpiredTokens } from '../features/sign-in/tokens/index.ts';
import { deleteExpiredPortalRows, PORTAL } from '../features/sign-in/portal/index.ts';
import { rollUpSessions } from '../features/gameplay/analytics/index.ts';
import { deleteRetiredKeys } from '../features/platform/signing-keys/index.ts';
import { deleteExpiredBanFingerprints } from '../features/players/administration/index.ts';
import { deleteExpiredChallenges } from '../features/sign-in/wallet/index.ts';
import { deleteOldDeliveries } from '../features/messages/webhooks/index.ts';
import type { ScheduledJob } from '../jobs/worker.ts';

/** Everything that the deployment does by the clock. */
export function scheduledJobs(owner: pg.Pool, database: Database): ScheduledJob[] {
  return [
    {
      name: 'make-partitions',
      cron: '17 3 * * *',
      run: async () => void (await createPartitions(owner)),
    },
    {
      name: 'delete-expired-tokens',
      cron: '47 3 * * *',
      run: () => deleteExpired(database),
    },
    {
      name: 'delete-old-mails',
      cron: '7 * * * *',
      run: async () => void (await deleteOldMails(database)),
    },
    {
      name: 'delete-old-webhook-deliveries',
      cron: '27 * * * *',
      run: async () => void (await deleteOldDeliveries(database)),
    },
    {
      name: 'roll-up-sessions',
      cron: '*/10 * * * *',
      run: () => rollUpSessions(database),
    },
  ];
}

/**
 * Deletes what has expired; tokens a day later, as until then the second use of one is still noticed. And the signing keys
 * that have retired: a private key that no longer signs is nothing but a risk.
 */
async function deleteExpired(database: Database): Promise<void> {
  for (const { id } of await database.rows<{ id: string }>(sql`SELECT id FROM tenants`)) {
    const tenant = database.forTenant(id);
    await deleteExpiredTokens(tenant, id);
    await deleteExpiredThirdPartyTokens(tenant, id);
    await deleteExpiredChallenges(tenant, id);
    await deleteExpiredCodesAndTokens(tenant, id);
    await deleteOldAnswers(tenant, id);
    await deleteExpiredBanFingerprints(tenant, id);
  }
  await deleteExpiredAccountTokens(database);
  await deleteOldInvitations(database);
  await deleteOldNotifications(database);
  await deletePendingCredentials(database);
  await deleteExpiredCodesAndTokens(database.forTenant(PORTAL), PORTAL);
  await deleteExpiredChallenges(database.forTenant(PORTAL), PORTAL);
  await deleteExpiredCodesAndTokens(database.forTenant(NOTICES), NOTICES);
  await deleteExpiredPortalRows(database);
  await deleteRetiredKeys(database);
}
