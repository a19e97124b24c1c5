import { isDeepStrictEqual } from 'node:util';
import { OWN_KEYWORDS } from '../validation/schema-keywords.ts';

/** A JSON schema of the document. */
export interface Schema {
  $ref?: string;
  $id?: string;
  title?: string;
  description?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  default?: unknown;
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  discriminator?: { propertyName: string; mapping?: Record<string, string> };
  [keyword: string]: unknown;
}

/** Where a schema is used. A member can be optional in a request and always present in a response. */
export type Side = 'request' | 'response';

const PREFIX = '#/components/schemas/';

/** The named schemas of the document. */
export interface SchemaComponents {
  schemas: Record<string, Schema>;
  /**
   * Moves each schema with a title to `schemas`, and returns the schema with references instead. Throws if two different
   * schemas have the same title.
   */
  describe(schema: Schema, side: Side): Schema;
}

/** Creates the named schemas. The title of a schema is its name. */
export function createSchemaComponents(): SchemaComponents {
  const schemas: Record<string, Schema> = {};

  function describe(schema: Schema, side: Side): Schema {
    const { title, $id, ...rest } = schema;
    for (const keyword of OWN_KEYWORDS) delete rest[keyword];
    const name = title ?? $id;
    if (!name) return describeParts(rest, side);

    const isNullable = Array.isArray(rest.type) && rest.type.includes('null');
    const { annotations, definition } = splitAnnotations(isNullable ? withoutNull(rest) : rest);
    const described = describeParts(definition, side);
    const known = (schemas[name] ??= described);
    if (!isDeepStrictEqual(known, described))
      throw new Error(`Two different schemas have the title ${name}. Give one of them another title.`);
    const reference = { $ref: PREFIX + name };
    return isNullable
      ? { oneOf: [reference, { type: 'null' }], ...annotations }
      : { ...reference, ...annotations };
  }

  function describeParts(schema: Schema, side: Side): Schema {
    const described: Schema = { ...schema };
    // The serializer does not escape strings of this format. All of them are UUIDs.
    if (schema.format === 'unsafe') described.format = 'uuid';
    if (isLargeInteger(schema)) described.format = 'int64';
    if (schema.items) described.items = describe(schema.items, side);
    if (typeof schema.additionalProperties === 'object')
      described.additionalProperties = describe(schema.additionalProperties, side);
    for (const keyword of ['anyOf', 'oneOf', 'allOf'] as const) {
      const parts = schema[keyword];
      if (parts) described[keyword] = parts.map((part) => describe(part, side));
    }
    if (schema.properties) {
      const { properties, required } = side === 'request' ? withOptionalMembers(schema) : schema;
      described.properties = Object.fromEntries(
        Object.entries(properties!).map(([member, part]) => [member, describe(part, side)]),
      );
      if (required && required.length > 0) described.required = required;
      else delete described.required;
    }
    return schema.discriminator ? describeChoice(described) : described;
  }

  /** Names the schema of each value of a discriminator. Without a mapping, clients take the value for the name. */
  function describeChoice({ discriminator, oneOf = [], ...schema }: Schema): Schema {
    const { propertyName } = discriminator!;
    const mapping: Record<string, string> = {};
    for (const { $ref = '' } of oneOf) {
      const member = schemas[$ref.slice(PREFIX.length)]?.properties?.[propertyName];
      mapping[String(member?.enum?.[0])] = $ref;
    }
    // The choices describe the members.
    const { type: _type, properties: _properties, required: _required, ...annotations } = schema;
    return { ...annotations, oneOf, discriminator: { propertyName, mapping } };
  }

  return { schemas, describe };
}

/** A default, and the description of an enum, belong to one use of a schema. The rest is the same at each use. */
function splitAnnotations({ default: standard, ...schema }: Schema): {
  annotations: Schema;
  definition: Schema;
} {
  const annotations: Schema = standard === undefined ? {} : { default: standard };
  if (!schema.enum || schema.description === undefined) return { annotations, definition: schema };
  const { description, ...definition } = schema;
  return { annotations: { description, ...annotations }, definition };
}

/** Generated clients use 32 bits for an integer without a format. */
function isLargeInteger({ type, format, minimum = 0, maximum = 0 }: Schema): boolean {
  const isInteger = [type].flat().includes('integer');
  return isInteger && !format && (Number(minimum) < -(2 ** 31) || Number(maximum) >= 2 ** 31);
}

function withoutNull(schema: Schema): Schema {
  const types = (schema.type as string[]).filter((type) => type !== 'null');
  const values = schema.enum?.filter((value) => value !== null);
  return { ...schema, type: types.length === 1 ? types[0]! : types, ...(values && { enum: values }) };
}

/**
 * Marks members with a default as optional. The schemas require them only for the types of the handlers. Optional members
 * that C# represents by value may be null, which the server treats as missing. Otherwise, generated clients would send
 * `false`, 0 or the first value of an enum for a member that the caller did not set.
 */
function withOptionalMembers({
  properties = {},
  required = [],
}: Schema): Pick<Schema, 'properties' | 'required'> {
  const needed = required.filter((member) => properties[member]?.default === undefined);
  const relaxed = Object.entries(properties).map(([member, schema]) => [
    member,
    !needed.includes(member) && isValueType(schema) ? orNull(schema) : schema,
  ]);
  return { properties: Object.fromEntries(relaxed), required: needed };
}

function isValueType({ type, format = '', enum: values }: Schema): boolean {
  const types = [type].flat();
  if (types.includes('boolean') || types.includes('integer') || types.includes('number'))
    return !types.includes('null');
  return type === 'string' && (values !== undefined || ['uuid', 'date-time', 'date'].includes(format));
}

function orNull(schema: Schema): Schema {
  return {
    ...schema,
    type: [...[schema.type ?? []].flat(), 'null'],
    ...(schema.enum && { enum: [...schema.enum, null] }),
  };
}
