import type { Sql } from 'sql-template-tag';

/** SQL as a tagged template. Every interpolated value becomes a parameter, and templates can be nested. */
export { default as sql, empty, join, raw, type Sql } from 'sql-template-tag';

const notPrepared = new WeakSet<Sql>();

/** Marks a statement whose text has many forms. Each connection would keep the plan of each form. */
export function unprepared(statement: Sql): Sql {
  notPrepared.add(statement);
  return statement;
}

export function isPrepared(statement: Sql): boolean {
  return !notPrepared.has(statement);
}
