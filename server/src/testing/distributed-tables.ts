import { parse } from 'libpg-query';
import type pg from 'pg';
import { distributedTables } from '../database/citus.ts';

/** The columns of a table, and the column by which a cluster distributes it. */
interface DistributedTable {
  columns: Set<string>;
  /** Undefined if the table is not distributed. */
  key: string | undefined;
}

// oxlint-disable-next-line typescript/no-explicit-any -- the parse tree of PostgreSQL has hundreds of types
type Node = any;

/** The parts of a query that are visited in an order of their own. */
const VISITED = new Set(
  'larg rarg relation fromClause usingClause sourceRelation withClause selectStmt'.split(' '),
);

/** Functions in PL/pgSQL also run expressions, which are no statements. */
async function parseStatements(text: string): Promise<Node[]> {
  const { stmts = [] } = await parse(text).catch(() => parse(`SELECT ${text}`));
  return stmts;
}

/** A table, sub-select, function or common table expression in one FROM clause. */
interface Source {
  name: string;
  table?: string;
  /** Undefined if unknown. */
  columns?: Set<string> | undefined;
  key?: string | undefined;
  /** Whether the statement compares the key with a value that is known before it runs. */
  isNamed: boolean;
  /** Sources whose keys the statement compares with this one. */
  equals: Source[];
}

interface Scope {
  sources: Source[];
  outer: Scope | undefined;
}

/**
 * Returns what keeps a statement from one shard of each distributed table: it neither compares the distribution column of a table
 * with a value, an array or the same column of a table that it compares so, nor inserts the column, or it changes the column. Each
 * branch of an OR must compare it. A condition counts if PostgreSQL can use it for an index: `(tenant_id = $1) IS TRUE` does not.
 */
export async function findShardProblems(
  statement: string,
  tables: ReadonlyMap<string, DistributedTable>,
): Promise<string[]> {
  const sources: Source[] = [];
  const problems = new Set<string>();
  for (const { stmt } of await parseStatements(statement)) visit(stmt, undefined, new Set());
  const named = sources.filter(({ isNamed }) => isNamed);
  for (const source of named)
    for (const other of source.equals)
      if (!other.isNamed) {
        other.isNamed = true;
        named.push(other);
      }
  for (const { table, key, isNamed } of sources) if (key && !isNamed) problems.add(`${table} without ${key}`);
  return [...problems].toSorted();

  /** Visits a query, or any other part of a statement that may contain queries. */
  function visit(node: Node, outer: Scope | undefined, ctes: Set<string>): void {
    if (typeof node !== 'object' || node === null) return;
    for (const [kind, part] of Object.entries(node))
      if (/^(Select|Insert|Update|Delete|Merge)Stmt$/.test(kind)) visitQuery(kind, part, outer, ctes);
      else visit(part, outer, ctes);
  }

  function visitQuery(kind: string, query: Node, outer: Scope | undefined, known: Set<string>): void {
    const names = (query.withClause?.ctes ?? []).map(({ CommonTableExpr: { ctename } }: Node) => ctename);
    const ctes = new Set([...known, ...names]);
    const scope: Scope = { sources: [], outer };
    if (query.relation) {
      const target = addTable(query.relation, scope, new Set());
      const changed = kind === 'UpdateStmt' ? query.targetList : query.onConflictClause?.targetList;
      if (target.key && hasColumn(changed, target.key)) problems.add(`${target.table} changes ${target.key}`);
      // ON CONFLICT finds a row with the key of the new one.
      if (kind === 'InsertStmt') target.isNamed = hasColumn(query.cols, target.key);
    }
    const from = [
      ...(query.fromClause ?? []),
      ...(query.usingClause ?? []),
      ...(query.sourceRelation ? [query.sourceRelation] : []),
    ];
    for (const item of from) addItem(item, scope, ctes);
    compare(query.whereClause, scope);
    compare(query.joinCondition, scope);
    // PostgreSQL keeps the two sides of UNION here, without the name of their type.
    for (const side of [query.larg, query.rarg]) if (side) visitQuery('SelectStmt', side, outer, ctes);
    // A common table expression, and the query of an INSERT, do not see the tables of this query.
    visit([query.withClause, query.selectStmt], outer, ctes);
    for (const [name, part] of Object.entries(query)) if (!VISITED.has(name)) visit(part, scope, ctes);
  }

  function hasColumn(targets: Node[] | undefined, key: string | undefined): boolean {
    return targets?.some(({ ResTarget: { name } }) => name === key) ?? false;
  }

  function addTable(relation: Node, scope: Scope, ctes: Set<string>): Source {
    const table = ctes.has(relation.relname) ? undefined : tables.get(relation.relname);
    const source: Source = {
      name: relation.alias?.aliasname ?? relation.relname,
      table: relation.relname,
      columns: table?.columns,
      key: table?.key,
      isNamed: false,
      equals: [],
    };
    scope.sources.push(source);
    if (table) sources.push(source);
    return source;
  }

  function addItem(item: Node, scope: Scope, ctes: Set<string>): void {
    if (item.RangeVar) addTable(item.RangeVar, scope, ctes);
    else if (item.JoinExpr) {
      const { larg, rarg, quals, usingClause = [] } = item.JoinExpr;
      const before = scope.sources.length;
      addItem(larg, scope, ctes);
      const left = scope.sources.slice(before);
      addItem(rarg, scope, ctes);
      const right = scope.sources.slice(before + left.length);
      compare(quals, scope);
      visit(quals, scope, ctes);
      for (const {
        String: { sval },
      } of usingClause)
        for (const one of left.filter(({ key }) => key === sval))
          for (const other of right.filter(({ key }) => key === sval)) link(one, other);
    } else {
      const alias = Object.values<Node>(item)[0].alias?.aliasname ?? '';
      visit(item, scope, ctes);
      scope.sources.push({ name: alias, columns: new Set(), isNamed: false, equals: [] });
    }
  }

  /** Notes what a condition says of the keys. Only comparisons that hold for every row count: those joined by AND, or in each branch of an OR. */
  function compare(condition: Node, scope: Scope): void {
    if (!condition) return;
    if (condition.BoolExpr?.boolop === 'AND_EXPR')
      for (const part of condition.BoolExpr.args) compare(part, scope);
    if (condition.BoolExpr?.boolop === 'OR_EXPR') {
      const branches = (condition.BoolExpr.args as Node[]).map((part) => {
        const branch = { ...scope, sources: scope.sources.map((source) => ({ ...source, isNamed: false })) };
        compare(part, branch);
        return branch.sources;
      });
      for (const [index, source] of scope.sources.entries())
        if (branches.every((branch) => branch[index]!.isNamed)) source.isNamed = true;
    }
    if (condition.A_Const?.boolval && !condition.A_Const.boolval.boolval)
      for (const source of scope.sources) source.isNamed = true;
    const { A_Expr: comparison } = condition;
    if (comparison?.name?.at(-1).String?.sval !== '=') return;
    const { lexpr, rexpr } = comparison;
    if (lexpr?.RowExpr && rexpr?.RowExpr)
      for (const [index, side] of lexpr.RowExpr.args.entries()) note(side, rexpr.RowExpr.args[index], scope);
    else note(lexpr, rexpr, scope);
  }

  function note(one: Node, other: Node, scope: Scope): void {
    const left = keyOf(one, scope);
    const right = keyOf(other, scope);
    if (left && right) link(left, right);
    else if (left && isKnownBefore(other, scope)) left.isNamed = true;
    else if (right && isKnownBefore(one, scope)) right.isNamed = true;
  }

  function link(one: Source, other: Source): void {
    one.equals.push(other);
    other.equals.push(one);
  }

  /** The source whose distribution column an expression is. */
  function keyOf(expression: Node, scope: Scope): Source | undefined {
    const found = findColumn(expression, scope);
    return found?.source?.key !== undefined && found.source.key === found.column ? found.source : undefined;
  }

  /** Whether an expression contains no column of a table. Parameters of functions and variables have names like columns. */
  function isKnownBefore(expression: Node, scope: Scope): boolean {
    if (typeof expression !== 'object' || expression === null) return true;
    if (expression.ColumnRef) return findColumn(expression, scope)?.source === undefined;
    if (expression.RangeVar || expression.FromExpr) return false;
    return Object.values<Node>(expression).every((part) => isKnownBefore(part, scope));
  }

  function findColumn(
    expression: Node,
    scope: Scope,
  ): { source: Source | undefined; column: string } | undefined {
    const fields = expression?.ColumnRef?.fields?.map((field: Node) => field.String?.sval) as
      | string[]
      | undefined;
    const column = fields?.at(-1);
    if (!fields || !column) return undefined;
    const qualifier = fields.at(-2);
    for (let place: Scope | undefined = scope; place; place = place.outer) {
      const source = place.sources.find(({ name, columns }) =>
        qualifier ? name === qualifier : columns?.has(column),
      );
      if (source) return { source, column };
    }
    return { source: undefined, column };
  }
}

/** Lists the tables of a migrated database. */
export async function listDistributedTables(owner: pg.Pool): Promise<Map<string, DistributedTable>> {
  const { rows } = await owner.query<{ table: string; columns: string[] }>(
    `SELECT relname AS table, array_agg(attname::text) AS columns
     FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition GROUP BY 1`,
  );
  const isDistributed = (table: string): boolean => distributedTables.some((name) => name === table);
  return new Map(
    rows.map(({ table, columns }) => [
      table,
      { columns: new Set(columns), key: isDistributed(table) ? 'tenant_id' : undefined },
    ]),
  );
}
