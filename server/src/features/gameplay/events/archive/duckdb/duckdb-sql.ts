import { toMicroseconds } from '../../../../../core/timestamps.ts';

/** SQL of DuckDB for a time without its zone, in UTC. Functions of DuckDB take up to ten times as long for a time with a zone. */
export const inUtc = (expression: string): string => `make_timestamp(epoch_us(${expression}))`;

/** SQL of DuckDB for a time as the API writes it, in UTC with six fractional digits. */
export const isoTime = (expression: string): string =>
  `strftime(${inUtc(expression)}, '%Y-%m-%dT%H:%M:%S.%fZ')`;

/** SQL of DuckDB and PostgreSQL for a text. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/**
 * SQL of DuckDB for a time in the format of toMicroseconds(). DuckDB skips what is out of a range if the times are constants, and not if
 * they are parameters.
 */
export function timeLiteral(time: string): string {
  const checked = toMicroseconds(time);
  if (checked === undefined) throw new TypeError(`${time} is not a time.`);
  return `TIMESTAMPTZ '${checked}'`;
}
