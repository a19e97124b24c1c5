import type { Database } from '../../../database/database.ts';
import type { Jobs, Queue } from '../../../jobs/queue.ts';
import { newId } from '../../../core/ids.ts';
import { countAlertsOfHour, insertAlert, type Spike } from './queries.ts';

/** Alerts to dispatch. Retried for more than a day. One takes about 20 ms. */
export const alertQueue: Queue<{ tenantId: string; alertId: string }> = {
  name: 'alert',
  retryDelay: 5,
  retryDelayMax: 600,
  retryLimit: 200,
  expireInSeconds: 15,
};

/**
 * Alerts of a workspace within an hour. Each takes the workers 12 ms, and 172 ms for a team of 100. Anybody can create 50,000 keys with
 * a threshold of one request, and their alerts would delay those of all others.
 */
const MAX_ALERTS_PER_HOUR = 100;

/**
 * Records an alert and enqueues the job that dispatches it, in one transaction. Does nothing and returns false if the key has
 * raised an alert of the same type within the last `suppressionSeconds`, in any process. Does nothing if the workspace has reached its
 * limit.
 */
export async function raiseAlert(
  { database, jobs }: { database: Database; jobs: Jobs },
  suppressionSeconds: number,
  spike: Spike,
): Promise<boolean> {
  const { tenantId, workspaceId } = spike;
  const recent = await countAlertsOfHour(
    database.forWorkspace(workspaceId),
    workspaceId,
    MAX_ALERTS_PER_HOUR,
  );
  if (recent >= MAX_ALERTS_PER_HOUR) return true;
  return database.forTenant(tenantId).transaction(async (transaction) => {
    const alertId = newId();
    if (!(await insertAlert(transaction, alertId, spike, suppressionSeconds))) return false;
    await jobs.add(transaction, alertQueue, { tenantId, alertId });
    return true;
  });
}
