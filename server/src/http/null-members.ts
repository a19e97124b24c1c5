interface ObjectSchema {
  type?: string | string[];
  properties?: Record<string, ObjectSchema>;
  required?: string[];
  items?: ObjectSchema;
  default?: unknown;
}

/**
 * Takes those members out of a body that are null although their schema lets them be left out but not be null: for a caller
 * the two are one (spec: conventions, "a trailing ? means nullable or optional"), and many a client sends all of its fields.
 */
export function dropOptionalNulls(schema: ObjectSchema, value: unknown): void {
  if (value === null || typeof value !== 'object') return;
  if (schema.items && Array.isArray(value)) for (const item of value) dropOptionalNulls(schema.items, item);
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    const body = value as Record<string, unknown>;
    if (body[name] === null && mayBeLeftOut(schema, name) && !member.type?.includes('null'))
      delete body[name];
    else dropOptionalNulls(member, body[name]);
  }
}

function mayBeLeftOut({ properties, required }: ObjectSchema, name: string): boolean {
  return !required?.includes(name) || properties?.[name]?.default !== undefined;
}
