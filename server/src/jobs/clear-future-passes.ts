import type { PgBoss } from 'pg-boss';

/** The columns in which pg-boss stores when its last passes ran. */
const COLUMNS = {
  version: ['cron_on', 'bam_on', 'flow_on', 'reindex_on'],
  queue: ['monitor_claim_on', 'monitor_on', 'maintain_on'],
};

/** A transaction that began later than this one may have stored a later time. */
const LATEST = `now() + interval '1 minute'`;

/**
 * Clears times of passes that are in the future, because the clock of PostgreSQL was wrong and was set back. pg-boss would run no scheduled
 * job, and find no job of a dead worker, until the clock reaches them.
 */
export async function clearFuturePasses(boss: PgBoss): Promise<void> {
  for (const [table, columns] of Object.entries(COLUMNS)) {
    const cleared = columns.map(
      (column) => `${column} = CASE WHEN ${column} <= ${LATEST} THEN ${column} END`,
    );
    await boss
      .getDb()
      .executeSql(
        `UPDATE pgboss.${table} SET ${cleared.join(', ')} WHERE greatest(${columns.join(', ')}) > ${LATEST}`,
      );
  }
}
