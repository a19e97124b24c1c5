interface ObjectSchema {
  type?: string | string[];
  properties?: Record<string, ObjectSchema>;
  required?: string[];
  default?: unknown;
  additionalProperties?: unknown;
  patternProperties?: unknown;
  items?: ObjectSchema;
  allOf?: readonly ObjectSchema[];
  anyOf?: readonly ObjectSchema[];
  oneOf?: readonly ObjectSchema[];
}

/**
 * Removes the members of a validated body that its schema does not declare. Handlers ignore them, but they would stay
 * in memory until the request ends (1 KiB of `{},` takes 22 KB of heap). An object with open members, such as metadata,
 * is unchanged.
 */
export function removeUndeclaredMembers(schema: ObjectSchema, value: unknown): void {
  if (value === null || typeof value !== 'object') return;
  const parts = partsOf(schema);
  if (Array.isArray(value)) {
    for (const { items } of parts) if (items) for (const item of value) removeUndeclaredMembers(items, item);
    return;
  }
  const isOpen = parts.some((part) => Boolean(part.additionalProperties ?? part.patternProperties));
  const declaring = parts.filter(({ properties }) => properties);
  if (isOpen || declaring.length === 0) return;
  const body = value as Record<string, unknown>;
  for (const name of Object.keys(body)) {
    const members = declaring.filter(({ properties }) => Object.hasOwn(properties!, name));
    if (members.length === 0) delete body[name];
    for (const { properties } of members) removeUndeclaredMembers(properties![name]!, body[name]);
  }
}

/** A schema and its alternatives. A member is kept if one of them declares it. */
function partsOf(schema: ObjectSchema): ObjectSchema[] {
  const { allOf = [], anyOf = [], oneOf = [] } = schema;
  return [schema, ...[...allOf, ...anyOf, ...oneOf].flatMap(partsOf)];
}

/**
 * Removes optional members that are null, if their schema does not allow null. Many clients send all of their fields.
 * See docs/api-conventions.md.
 */
export function removeOptionalNulls(schema: ObjectSchema, value: unknown): void {
  if (value === null || typeof value !== 'object') return;
  if (schema.items && Array.isArray(value)) for (const item of value) removeOptionalNulls(schema.items, item);
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    const body = value as Record<string, unknown>;
    if (body[name] === null && isOptional(schema, name) && !member.type?.includes('null')) delete body[name];
    else removeOptionalNulls(member, body[name]);
  }
}

function isOptional({ properties, required }: ObjectSchema, name: string): boolean {
  return !required?.includes(name) || properties?.[name]?.default !== undefined;
}
