import { distributeEvents } from '../database/citus.ts';
import { withClient } from '../database/client.ts';
import { migrate } from '../database/migrate.ts';
import { createPartitions } from '../database/partitions/create-partitions.ts';
import { installQueues } from '../jobs/queue.ts';
import { queues } from './background-work.ts';

/**
 * Updates a database: migrations, queues, the partitions of the next months, and the distribution of events over a cluster of Citus.
 * Returns what was new. `url` must connect as the owner of the database. Processes that start at the same time wait for each other.
 */
export async function prepareDatabase(
  url: string,
): Promise<{ migrations: string[]; partitions: string[]; distributed: string[] }> {
  return withClient(url, async (owner) => {
    const migrations = await migrate(owner);
    await installQueues(owner, queues);
    const partitions = await createPartitions(owner);
    return { migrations, partitions, distributed: await distributeEvents(owner) };
  });
}
