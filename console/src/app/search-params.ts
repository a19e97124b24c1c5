/**
 * The search parameters of a page: only those that it knows, and only texts. The router keeps the others, unless they are undefined. So
 * unknown names and empty texts leave the URL.
 */
export function textParams<const Name extends string>(...names: Name[]) {
  const isKnown = (name: string, value: unknown): boolean =>
    (names as string[]).includes(name) && typeof value === 'string' && value !== '';
  return (given: Record<string, unknown>): { [name in Name]?: string } =>
    Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name, isKnown(name, value) ? value : undefined]),
    ) as { [name in Name]?: string };
}

/** Writes and reads the search of a URL as plain texts, so that people can read it: `?entry=10` and not `?entry=%2210%22`. */
export const plainSearch = {
  parseSearch: (search: string): Record<string, string> => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: (search: Record<string, unknown>): string => {
    const known = Object.entries(search).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    );
    return known.length === 0 ? '' : `?${new URLSearchParams(known).toString()}`;
  },
};
