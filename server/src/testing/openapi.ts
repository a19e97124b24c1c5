/** An OpenAPI document with each reference replaced by its target. Our schemas do not refer to themselves. */
// oxlint-disable-next-line typescript/no-explicit-any
export function withoutReferences(document: any): any {
  const resolve = (value: unknown): unknown => {
    if (value === null || typeof value !== 'object') return value;
    if (Array.isArray(value)) return value.map(resolve);
    const { $ref, ...siblings } = value as Record<string, unknown>;
    const members = Object.fromEntries(Object.entries(siblings).map(([name, item]) => [name, resolve(item)]));
    if (typeof $ref !== 'string') return members;
    return { ...(resolve(targetOf(document, $ref)) as object), ...members };
  };
  return resolve(document);
}

/** The target of a reference, or undefined if there is none. */
export function targetOf(document: object, reference: string): unknown {
  if (!reference.startsWith('#/')) return undefined;
  let target: unknown = document;
  for (const name of reference.slice(2).split('/'))
    target = (target as Record<string, unknown> | undefined)?.[
      name.replaceAll('~1', '/').replaceAll('~0', '~')
    ];
  return target;
}
