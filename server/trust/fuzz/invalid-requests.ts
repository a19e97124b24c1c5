import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { findInJson, isNestedWithin, isUnstorable, normaliseKey } from '../../src/core/text.ts';
import { removeOptionalNulls } from '../../src/http/validation/body-members.ts';
import type { Operation, Schema } from '../world.ts';
import { validatorOf } from './answers.ts';
import type { WireRequest } from './wire-request.ts';

const MAX_NESTING = 64;

const coercing = new Ajv2020({ strict: false, coerceTypes: 'array' });
addFormats.default(coercing);
const parameterValidators = new Map<Operation, Record<'path' | 'query', ValidateFunction>>();

/** The schema of a JSON body. */
export const bodySchemaOf = ({ requestBody }: Operation): Schema | undefined =>
  requestBody?.content['application/json']?.schema;

/** Whether the document of the API forbids a request. Other requests may break rules that no schema can say. */
export function isForbidden(operation: Operation, { path, query, body }: WireRequest): boolean {
  const validators = parameterValidatorsOf(operation);
  if (!validators.path(decoded(Object.entries(path)))) return true;
  // The form encoding of a query writes a space as a plus sign.
  if (!validators.query(decoded(query.map(([name, text]) => [name, text.replaceAll('+', '%20')]))))
    return true;
  const schema = bodySchemaOf(operation);
  if (schema === undefined || typeof body !== 'string') return false;
  // The server ignores a byte order mark (docs/api-conventions.md).
  const text = body.replace(/^\ufeff/, '');
  return text !== '' && !isAllowed(operation, schema, text);
}

/** Values in addresses are texts, so a number may be one of the allowed. */
function parameterValidatorsOf(operation: Operation): Record<'path' | 'query', ValidateFunction> {
  const known = parameterValidators.get(operation);
  if (known) return known;
  const compile = (place: 'path' | 'query') => {
    const parameters = (operation.parameters ?? []).filter((parameter) => parameter.in === place);
    return coercing.compile({
      type: 'object',
      properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
      required: parameters.filter(({ required }) => required).map(({ name }) => name),
    });
  };
  const made = { path: compile('path'), query: compile('query') };
  parameterValidators.set(operation, made);
  return made;
}

/** The values of parameters. A name that occurs twice has a list. */
function decoded(parameters: [string, string][]): Record<string, string | string[]> {
  const values = Object.create(null) as Record<string, string | string[]>;
  for (const [name, text] of parameters) {
    const value = decode(text);
    values[name] = name in values ? [values[name]!, value].flat() : value;
  }
  return values;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function isAllowed({ operationId }: Operation, schema: Schema, body: string): boolean {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return false;
  }
  const batch = operationId.startsWith('ingest') && eventsOf(value);
  // An invalid event does not affect the others of its batch.
  if (batch && batch.length > 0) return batch.some((event) => isValid(schema, { events: [event] }));
  if (!isNestedWithin(value, MAX_NESTING) || findInJson(value, isUnstorable) !== undefined) return false;
  return isValid(schema, value);
}

function eventsOf(body: unknown): unknown[] | undefined {
  const events = Array.isArray(body) ? body : (body as { events?: unknown } | null)?.events;
  return Array.isArray(events) ? events : undefined;
}

function isValid(schema: Schema, value: unknown): boolean {
  // Like an optional member, a body without required members may be null.
  if (value === null && (schema['required'] ?? []).length === 0) return true;
  // Names are trimmed, and keys are normalised, before their length counts.
  return [value, withTexts(value, (text) => text.trim()), withTexts(value, normaliseKey)].some((each) => {
    const body = withoutPrototypes(each);
    removeOptionalNulls(schema, body);
    return validatorOf(schema)(body);
  });
}

const withTexts = (body: unknown, change: (text: string) => string): unknown =>
  JSON.parse(JSON.stringify(body), (_name, value) => (typeof value === 'string' ? change(value) : value));

/** A body as the server reads it: it ignores members that could change a prototype (docs/api-conventions.md). */
const withoutPrototypes = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body), (name, value) =>
    name === '__proto__' || name === 'constructor' ? undefined : value,
  );
