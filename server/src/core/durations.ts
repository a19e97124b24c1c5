const UNITS: Record<string, number> = { s: 1, m: 60, h: 60 * 60, d: 24 * 60 * 60 };

/** Parses a duration such as `90s`, `10m`, `2h`, `1d` or `0` into seconds. Returns undefined for any other text. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  const [, count, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * UNITS[unit]!;
}
