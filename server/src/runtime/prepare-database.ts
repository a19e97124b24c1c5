import { migrate } from '../database/migrate.ts';
import { openOwnerPool } from '../database/pool.ts';
import { createPartitions } from '../database/partitions.ts';
import { installQueues } from '../jobs/queue.ts';
import { queues } from './background-work.ts';

/** Updates a database: migrations, queues, and the partitions of the next months. Returns what was new. */
export async function prepareDatabase(url: string): Promise<{ migrations: string[]; partitions: string[] }> {
  const migrations = await migrate(url);
  await installQueues(url, queues);
  const owner = openOwnerPool(url, 1);
  try {
    return { migrations, partitions: await createPartitions(owner) };
  } finally {
    await owner.end();
  }
}
