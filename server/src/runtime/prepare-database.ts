import { distributeEvents } from '../database/citus.ts';
import { migrate } from '../database/migrate.ts';
import { openOwnerPool } from '../database/pool.ts';
import { createPartitions } from '../database/partitions/create-partitions.ts';
import { installQueues } from '../jobs/queue.ts';
import { queues } from './background-work.ts';

/**
 * Updates a database: migrations, queues, the partitions of the next months, and the distribution of events over a cluster of Citus.
 * Returns what was new.
 */
export async function prepareDatabase(
  url: string,
): Promise<{ migrations: string[]; partitions: string[]; distributed: string[] }> {
  const migrations = await migrate(url);
  await installQueues(url, queues);
  const owner = openOwnerPool(url, 1);
  try {
    const partitions = await createPartitions(owner);
    return { migrations, partitions, distributed: await distributeEvents(url) };
  } finally {
    await owner.end();
  }
}
