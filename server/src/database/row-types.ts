import pg from 'pg';

const { builtins } = pg.types;

/**
 * How the driver returns column values:
 * - `timestamptz`: an ISO 8601 string in UTC with all microseconds, which a Date would lose.
 * - `bigint`: a number. A value beyond 2^53 throws (select `value::text` for exact 64-bit values).
 * - All others as in the driver: `uuid` and `text` as strings, `jsonb` parsed, `bytea` as a Buffer.
 */
export const rowTypes: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === builtins.TIMESTAMPTZ) return isoTimestamp;
    if (oid === builtins.INT8) return safeInteger;
    return pg.types.getTypeParser(oid, format);
  },
};

/** In a UTC session PostgreSQL writes `2026-11-20 21:19:00.5+00`. */
function isoTimestamp(text: string): string {
  return text.replace(' ', 'T').replace('+00', 'Z');
}

function safeInteger(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number))
    throw new RangeError(`The column value ${text} is too large for a JavaScript number.`);
  return number;
}
