/**
 * Serializes a value as canonical JSON: without white space, with members sorted by UTF-16 code units (as in RFC 8785),
 * and with numbers and strings as in `JSON.stringify`. Equal values give equal bytes, which can be hashed.
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
