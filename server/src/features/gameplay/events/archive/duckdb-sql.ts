/** SQL of DuckDB for a time as the API writes it, in UTC with six fractional digits. */
export const isoTime = (expression: string): string =>
  `strftime((${expression}) AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%S.%fZ')`;

/** SQL of DuckDB and PostgreSQL for a text. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;
