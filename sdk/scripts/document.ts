import { createHash } from 'node:crypto';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type JsonObject = { [name: string]: Json };

/** Members that change no type: texts for people, and values of one deployment. */
const TEXTS = new Set(['description', 'summary', 'title', 'example', 'examples', 'externalDocs']);

/** The part of the OpenAPI document that the client's types come from: refusals are thrown as one error class. */
export function reduceDocument(document: JsonObject): JsonObject {
  const [paths, webhooks] = ['paths', 'webhooks'].map((part) =>
    mapValues(document[part] as JsonObject, (path) =>
      mapValues(path as JsonObject, (operation) =>
        isObject(operation) && operation['responses'] ? reduceOperation(operation) : operation,
      ),
    ),
  );
  const components = document['components'] as JsonObject;
  return {
    openapi: document['openapi']!,
    info: { title: 'Guildhall', version: '1' },
    paths: paths!,
    webhooks: webhooks!,
    components: { schemas: components['schemas']! },
  };
}

function reduceOperation(operation: JsonObject): JsonObject {
  const responses = Object.entries(operation['responses'] as JsonObject)
    .filter(([status]) => status.startsWith('2'))
    .map(([status, response]) => {
      const { headers: _headers, ...rest } = response as JsonObject;
      return [status, rest] as const;
    });
  const { security: _security, ...rest } = operation;
  return withoutExamples({ ...rest, responses: Object.fromEntries(responses) });
}

/** Examples would become comments of 3,000 lines. */
function withoutExamples(operation: JsonObject): JsonObject {
  const text = JSON.stringify(operation, (name, value: Json) => (name === 'example' ? undefined : value));
  return JSON.parse(text) as JsonObject;
}

/** The SHA-256 of all that decides the types. A changed description keeps it. */
export function hashDocument(document: JsonObject): string {
  return createHash('sha256')
    .update(JSON.stringify(withoutTexts(reduceDocument(document))))
    .digest('hex');
}

function withoutTexts(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutTexts);
  if (!isObject(value)) return value;
  const kept = Object.entries(value)
    // A property may have the name of a keyword. Its schema is an object, a text is not.
    .filter(([name, member]) => !TEXTS.has(name) || (isObject(member) && 'type' in member))
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutTexts(member)]));
}

function mapValues(object: JsonObject, change: (value: Json) => Json): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
