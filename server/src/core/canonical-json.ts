/**
 * JSON in one spelling: no white space, object members sorted by their UTF-16 code units (as RFC 8785 sorts them),
 * numbers and strings as `JSON.stringify` writes them. Equal values give equal bytes, so hashes can be taken of it.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (value !== null && typeof value === 'object') {
    const members = Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, item]) => `${JSON.stringify(name)}:${canonicalJson(item)}`);
    return `{${members.join(',')}}`;
  }
  return JSON.stringify(value ?? null);
}
