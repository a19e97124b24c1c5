/** The search parameters of a page: only those that it knows, and only texts. An empty text is left out of the URL. */
export function textParams<const Name extends string>(...names: Name[]) {
  return (given: Record<string, unknown>): { [name in Name]?: string } => {
    const known: { [name in Name]?: string } = {};
    for (const name of names) {
      const value = given[name];
      if (typeof value === 'number' || typeof value === 'boolean') known[name] = String(value);
      else if (typeof value === 'string' && value !== '') known[name] = value;
    }
    return known;
  };
}
