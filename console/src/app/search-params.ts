/** The search parameters of a page: only those that it knows, and only texts. An empty text is left out of the URL. */
export function textParams<const Name extends string>(...names: Name[]) {
  return (given: Record<string, unknown>): { [name in Name]?: string } => {
    const known: { [name in Name]?: string } = {};
    for (const name of names) {
      const value = given[name];
      if (typeof value === 'string' && value !== '') known[name] = value;
    }
    return known;
  };
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
