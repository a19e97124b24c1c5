import type pg from 'pg';
import type { Querier } from '../database/database.ts';
import type { Sql } from '../database/sql.ts';
import { largestRead, type PlanNode } from './statement-plans.ts';

type ScopeOfRows = { tenantId: string } | { accountId: string } | { playerId: string };

/** Runs work on a connection with the scope and the plans of a request (BY_INDEX in database/pool.ts), and rolls it back. */
export async function inRequestScope<Result>(
  owner: pg.Pool,
  scope: ScopeOfRows,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const [setting, id, role] =
    'tenantId' in scope
      ? ['tenant_id', scope.tenantId, 'guildhall_app']
      : 'accountId' in scope
        ? ['account_id', scope.accountId, 'guildhall_app']
        : ['player_id', scope.playerId, 'guildhall_player'];
  const client = await owner.connect();
  try {
    await client.query(
      `BEGIN; SET LOCAL ROLE ${role}; SET LOCAL guildhall.${setting} = '${id}'; SET LOCAL enable_seqscan = off;
       SET LOCAL enable_bitmapscan = off`,
    );
    return await work(client);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

/** Runs a statement, and returns the plan that PostgreSQL executed. */
export async function explain(client: pg.ClientBase, { text, values }: Sql): Promise<PlanNode> {
  const { rows } = await client.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values);
  return rows[0]['QUERY PLAN'][0].Plan;
}

/** How many rows the largest part of a statement reads in the scope of a tenant, an account or a player. */
export async function rowsRead(
  owner: pg.Pool,
  scope: ScopeOfRows,
  send: (db: Querier) => Promise<unknown>,
): Promise<number> {
  let statement: Sql | undefined;
  const keep =
    <Result>(result: Result) =>
    async (sent: Sql) => {
      statement = sent;
      return result;
    };
  await send({
    rows: keep([]),
    count: keep(0),
    run: keep(0),
    changes: keep(false),
  } as unknown as Querier);
  const plan = await inRequestScope(owner, scope, (client) => explain(client, statement!));
  return largestRead(plan).rows;
}
