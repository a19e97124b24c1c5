import pg from 'pg';

/** A statement that PostgreSQL executed for the application, also inside functions and triggers. */
interface ExecutedStatement {
  text: string;
  plan: PlanNode;
}

/** A node of a plan, as EXPLAIN (ANALYZE, FORMAT JSON) shows it. */
export interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Join Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  'Index Searches'?: number;
  Plans?: PlanNode[];
}

/** Server settings with which PostgreSQL sends the plan of each executed statement as a notice. */
export const AUTO_EXPLAIN = {
  shared_preload_libraries: 'auto_explain',
  'auto_explain.log_level': 'notice',
  'auto_explain.log_format': 'json',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_nested_statements': 'on',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_parameter_max_length': '100',
};

/**
 * Receives the statements of all connections that the application opens from now on. Connections without the
 * application's name are those of tests.
 */
export function onStatement(receive: (statement: ExecutedStatement) => void): void {
  const { connect } = pg.Client.prototype;
  pg.Client.prototype.connect = function (this: pg.Client, ...parameters: Parameters<typeof connect>) {
    const { application_name: name } = (this as unknown as { connectionParameters: pg.ClientConfig })
      .connectionParameters;
    if (name?.startsWith('guildhall ')) {
      this.on('notice', ({ message }) => {
        const start = message?.indexOf('plan:\n') ?? -1;
        if (start < 0) return;
        const { 'Query Text': text, Plan: plan } = JSON.parse(message!.slice(start + 6));
        receive({ text, plan });
      });
    }
    return connect.apply(this, parameters);
  } as typeof connect;
}

/** A node of a plan, and the number of rows or index searches. */
export interface Read {
  rows: number;
  node: PlanNode;
}

/** The node of a plan that reads most. */
export function largestRead(plan: PlanNode): Read {
  const own = { rows: rowsReadBy(plan), node: plan };
  return (plan.Plans ?? []).map(largestRead).reduce((most, one) => (one.rows > most.rows ? one : most), own);
}

/** EXPLAIN shows averages over the loops of a node. */
function rowsReadBy(node: PlanNode): number {
  const rows =
    node['Actual Rows'] +
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Join Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0);
  return Math.max(Math.round(rows * node['Actual Loops']), node['Index Searches'] ?? 0);
}
