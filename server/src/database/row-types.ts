import pg from 'pg';

const { builtins } = pg.types;

/**
 * How column values come out of the driver:
 * - `timestamptz` as ISO 8601 text in UTC with all its microseconds, which a Date would cut;
 * - `bigint` as a number, refusing one that a number cannot hold (select `value::text` for exact 64-bit values);
 * - all else as the driver has it: `uuid` and `text` as strings, `jsonb` parsed, `bytea` as a Buffer.
 */
export const rowTypes: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === builtins.TIMESTAMPTZ) return isoTimestamp;
    if (oid === builtins.INT8) return safeInteger;
    return pg.types.getTypeParser(oid, format);
  },
};

/** PostgreSQL writes `2026-11-20 21:19:00.5+00` in a session whose time zone is UTC. */
function isoTimestamp(text: string): string {
  return text.replace(' ', 'T').replace('+00', 'Z');
}

function safeInteger(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number))
    throw new RangeError(`The column value ${text} is too large for a number.`);
  return number;
}
