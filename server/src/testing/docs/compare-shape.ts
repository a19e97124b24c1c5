/**
 * Compares an example with a real value by structure: the same members, and the same types. A member or an item `"…"` in the
 * example stands for others. Returns the differences in sentences.
 */
export function shapeDifferences(shown: unknown, actual: unknown, path = 'the answer'): string[] {
  if (typeOf(shown) !== typeOf(actual)) return [`${path} is ${typeOf(actual)}, shown as ${typeOf(shown)}`];
  if (Array.isArray(shown)) return arrayDifferences(shown, actual as unknown[], path);
  if (shown !== null && typeof shown === 'object')
    return objectDifferences(shown as Record<string, unknown>, actual as Record<string, unknown>, path);
  return [];
}

const ELIDED = '…';

function arrayDifferences(shown: unknown[], actual: unknown[], path: string): string[] {
  const items = shown.filter((item) => item !== ELIDED);
  if (items.length > actual.length) return [`${path} has ${actual.length} items, shown with ${items.length}`];
  return items.flatMap((item, index) => shapeDifferences(item, actual[index], `${path}[${index}]`));
}

function objectDifferences(
  shown: Record<string, unknown>,
  actual: Record<string, unknown>,
  path: string,
): string[] {
  const names = Object.keys(shown).filter((name) => name !== ELIDED);
  const missing = names.filter((name) => !(name in actual)).map((name) => `${path} has no ${name}`);
  const hidden = ELIDED in shown ? [] : Object.keys(actual).filter((name) => !names.includes(name));
  return [
    ...missing,
    ...hidden.map((name) => `${path} has ${name}, which is not shown`),
    ...names
      .filter((name) => name in actual)
      .flatMap((name) => shapeDifferences(shown[name], actual[name], `${path}.${name}`)),
  ];
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}
