import type { Database, Querier } from '../../../database/database.ts';
import { EMPTY_GUID } from '../../../core/ids.ts';
import type { Jobs, Queue } from '../../../jobs/queue.ts';
import { publishToTenants, type TenantEvent } from '../../messages/webhooks/index.ts';
import { listTenantsOfMerged } from '../merged-profiles/index.ts';
import { listTenantsOfPlayer } from './queries.ts';

/** A step of the publication of an event. `after` is the last tenant of the step before. */
interface ChangeStep {
  event: TenantEvent;
  after: string;
}

/** The queue of deletions and merges. Each step creates the job of the next one. Retried for more than a day. */
export const playerChangeQueue: Queue<ChangeStep> = {
  name: 'player-change',
  retryDelay: 5,
  retryDelayMax: 600,
  retryLimit: 200,
  expireInSeconds: 60,
};

/** A tenant has at most 50 webhooks of its workspace and 50 of the deployment, so a step writes at most 10,000 deliveries. */
const TENANTS_AT_ONCE = 100;

/**
 * Enqueues the publication of a deletion or a merge in the caller's transaction. A player can be in any number of tenants, and somebody
 * may be deleting one of their webhooks. So a worker writes the deliveries, and the player does not wait for them.
 */
export async function addPlayerChange(jobs: Jobs, transaction: Querier, event: TenantEvent): Promise<void> {
  await jobs.add(transaction, playerChangeQueue, { event, after: EMPTY_GUID });
}

/**
 * Publishes an event to the next tenants that knew the deleted or merged profile. A step and the job of the next one are one
 * transaction. Idempotent, like {@link publishToTenants}.
 */
export async function publishPlayerChange(
  { database, jobs }: { database: Database; jobs: Jobs },
  { event, after }: ChangeStep,
): Promise<void> {
  const { type, data } = event;
  const page = { after, limit: TENANTS_AT_ONCE };
  const [happenedAt, tenantIds] =
    type === 'player.deleted'
      ? [data.deletedAt, await listTenantsOfPlayer(database.forPlayer(data.playerId), data.playerId, page)]
      : [
          data.mergedAt,
          await listTenantsOfMerged(database.forPlayer(data.mergedPlayerId), data.mergedPlayerId, page),
        ];
  const last = tenantIds.at(-1);
  if (last === undefined) return;
  await database.forPlatform().transaction(async (transaction) => {
    await publishToTenants({ jobs }, transaction, tenantIds, { ...event, happenedAt });
    if (tenantIds.length === TENANTS_AT_ONCE)
      await jobs.add(transaction, playerChangeQueue, { event, after: last });
  });
}
