import type { Database } from '../../../database/database.ts';
import type { Jobs, Queue } from '../../../jobs/queue.ts';
import { newId } from '../../../core/ids.ts';
import type { Spike } from './alert.ts';
import { insertAlert } from './queries.ts';

/** Alerts that somebody is to be told of. Tried again for more than a day; telling takes some 20 ms. */
export const alertQueue: Queue<{ tenantId: string; alertId: string }> = {
  name: 'alert',
  retryDelay: 5,
  retryDelayMax: 600,
  retryLimit: 200,
  expireInSeconds: 15,
};

/**
 * Records an alert together with the job that tells of it: both or none. False, and nothing, where the key raised one of the
 * same type within the last `suppressionSeconds`, at whichever process.
 */
export async function raiseAlert(
  { database, jobs }: { database: Database; jobs: Jobs },
  suppressionSeconds: number,
  spike: Spike,
): Promise<boolean> {
  const { tenantId } = spike;
  return database.forTenant(tenantId).transaction(async (transaction) => {
    const alertId = newId();
    if (!(await insertAlert(transaction, alertId, spike, suppressionSeconds))) return false;
    await jobs.add(transaction, alertQueue, { tenantId, alertId });
    return true;
  });
}
