import type { Sql } from 'sql-template-tag';
import { isGuid } from '../core/ids.ts';

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

/** Quotes an id as an SQL literal, for texts that cannot have parameters. Accepts UUIDs only. */
export function idLiteral(id: string): string {
  if (!isGuid(id)) throw new TypeError(`"${id}" is not an identifier.`);
  return `'${id}'`;
}
