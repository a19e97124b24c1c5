import type pg from 'pg';
import type { Querier } from '../database/database.ts';
import type { Sql } from '../database/sql.ts';
import { largestRead } from './statement-plans.ts';

/** How many rows the largest part of a statement reads in the scope of a tenant or an account. */
export async function rowsRead(
  owner: pg.Pool,
  scope: { tenantId: string } | { accountId: string },
  select: (db: Querier) => Promise<unknown>,
): Promise<number> {
  let statement: Sql | undefined;
  const keep = async (sent: Sql) => {
    statement = sent;
    return [];
  };
  await select({ rows: keep, count: keep } as unknown as Querier);
  const [setting, id] = 'tenantId' in scope ? ['tenant_id', scope.tenantId] : ['account_id', scope.accountId];
  const client = await owner.connect();
  try {
    await client.query(
      `BEGIN; SET LOCAL ROLE guildhall_app; SET LOCAL guildhall.${setting} = '${id}'; SET LOCAL enable_seqscan = off;
       SET LOCAL enable_bitmapscan = off`,
    );
    const { rows } = await client.query(
      `EXPLAIN (ANALYZE, FORMAT JSON) ${statement!.text}`,
      statement!.values,
    );
    return largestRead(rows[0]['QUERY PLAN'][0].Plan).rows;
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}
