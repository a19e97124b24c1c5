import { exampleOf, problemExample, textExamples } from './openapi-examples.ts';
import { createSchemaComponents, type Schema, type SchemaComponents, type Side } from './openapi-schemas.ts';
import { problemStatuses } from '../schemas.ts';

/** The response headers, described once for all operations. */
export const responseHeaders = {
  'X-Request-Id': {
    description: 'The id of the request: the value that the client sent in this header, or a new one.',
    schema: { type: 'string' },
  },
  Allow: {
    description: 'The methods that the path supports.',
    schema: { type: 'string' },
  },
  'WWW-Authenticate': {
    description: 'The credentials that the operation takes.',
    schema: { type: 'string' },
  },
  'Retry-After': {
    description: 'The number of seconds after which to try again.',
    schema: { type: 'integer' },
  },
  'RateLimit-Limit': {
    description:
      'The number of requests that the key, account, player or network may send in the current window. A key has two windows: the headers describe the one with fewer requests left.',
    schema: { type: 'integer' },
  },
  'RateLimit-Remaining': {
    description: 'The number of requests that are left in the window.',
    schema: { type: 'integer' },
  },
  'RateLimit-Reset': {
    description: 'The number of seconds until the window ends.',
    schema: { type: 'integer' },
  },
} as const;

const SUCCESS_DESCRIPTIONS: Record<string, string> = {
  200: 'The request succeeded.',
  201: 'The resource was created.',
  202: 'The request was accepted.',
  204: 'The request succeeded. The response has no body.',
};

type Content = Record<string, { schema: Schema; example?: unknown }>;

interface Response {
  description: string;
  content?: Content;
  headers?: object;
}

type ResponseOrReference = Response | { $ref: string };

interface Operation {
  operationId: string;
  security?: Record<string, unknown>[];
  parameters?: { name: string; schema: Schema; required?: boolean; example?: unknown }[];
  requestBody?: { content: Content; required?: boolean };
  responses: Record<string, ResponseOrReference>;
}

/** The operations of each path or webhook, by method. */
type Operations = Record<string, Record<string, Operation>>;

/** The document that the plugin generates from the routes. */
export interface GeneratedDocument {
  paths?: Operations;
  webhooks?: Operations;
  components?: { schemas?: Record<string, Schema> };
}

/**
 * Renders the generated OpenAPI document: schemas and error responses become named components, and each operation gets the
 * parts that all operations share. Routes do not declare 500, so that a test fails on a 500.
 */
export function renderDocument(generated: GeneratedDocument, publicUrl: string): string {
  const components = createSchemaComponents();
  const responses: Record<string, Response> = {};
  for (const [title, schema] of Object.entries(generated.components?.schemas ?? {}))
    components.describe({ ...schema, title }, 'response');
  const paths = mapValues(generated.paths ?? {}, (methods) =>
    mapValues(methods, (operation) => describeOperation(operation, components, responses)),
  );
  const webhooks = mapValues(generated.webhooks ?? {}, (methods) =>
    mapValues(methods, (operation) => describeWebhook(operation, components)),
  );
  for (const methods of [...Object.values(paths), ...Object.values(webhooks)])
    for (const operation of Object.values(methods)) addExamples(operation, components.schemas);
  return JSON.stringify({
    ...generated,
    servers: [{ url: publicUrl }],
    paths,
    webhooks,
    components: {
      ...generated.components,
      schemas: sorted(components.schemas),
      responses: sorted(responses),
    },
  });
}

function describeOperation(
  operation: Operation,
  components: SchemaComponents,
  shared: Record<string, Response>,
): Operation {
  const { security = [], parameters, requestBody } = operation;
  const isCounted = '429' in operation.responses;
  const declared = { ...operation.responses, ...problem(405), ...problem(500) };
  const responses = Object.entries(declared).map(([status, response]): [string, ResponseOrReference] => {
    const described = describeResponse(status, response as Response, isCounted, components);
    const known = problemStatuses[Number(status)];
    if (!known || described.description !== known[2]) return [status, described];
    const [name, code] = known;
    described.content!['application/problem+json']!.example = problemExample(code);
    shared[name] = described;
    return [status, { $ref: `#/components/responses/${name}` }];
  });
  return {
    ...operation,
    security,
    ...(parameters && {
      parameters: parameters.map(({ schema, required, ...parameter }) => ({
        ...parameter,
        // The schemas require parameters with a default only for the types of the handlers.
        ...(required && schema.default === undefined && { required }),
        schema: components.describe(schema, 'request'),
      })),
    }),
    ...(requestBody && { requestBody: describeBody(requestBody, components) }),
    responses: Object.fromEntries(responses),
  };
}

/** Guildhall sends the bodies of webhooks, so their members are as in a response. */
function describeWebhook(operation: Operation, components: SchemaComponents): Operation {
  const content = describeContent(operation.requestBody!.content, 'response', components);
  return { ...operation, requestBody: { ...operation.requestBody, content } };
}

/** Adds an example to each body, and to each parameter that the request needs. */
function addExamples(
  { operationId, parameters = [], requestBody, responses }: Operation,
  schemas: Record<string, Schema>,
): void {
  for (const parameter of parameters)
    if (parameter.required)
      parameter.example = exampleOf(parameter.schema, schemas, {
        owner: operationId,
        member: parameter.name,
      });
  const contents = [requestBody, ...Object.values(responses)].map((body) =>
    body && 'content' in body ? body.content : {},
  );
  for (const [type, media] of contents.flatMap((content = {}) => Object.entries(content))) {
    // An image has no example as a text.
    if (type.startsWith('image/')) continue;
    media.example = textExamples[operationId]?.[type] ?? exampleOf(media.schema, schemas);
  }
}

function describeBody(
  body: NonNullable<Operation['requestBody']>,
  components: SchemaComponents,
): NonNullable<Operation['requestBody']> {
  const schemas = Object.values(body.content).map(({ schema }) => schema);
  const isOptional = schemas.some(({ type }) => Array.isArray(type) && type.includes('null'));
  const content = describeContent(body.content, 'request', components);
  if (!isOptional) return { ...body, content };
  // Callers omit the body instead of sending null.
  return {
    ...body,
    required: false,
    content: mapValues(content, ({ schema, ...media }) => ({ ...media, schema: schema.oneOf![0]! })),
  };
}

function describeResponse(
  status: string,
  response: Response,
  isCounted: boolean,
  components: SchemaComponents,
): Response {
  const { content, description } = response;
  return {
    ...response,
    description:
      description === 'Default Response' ? (SUCCESS_DESCRIPTIONS[status] ?? description) : description,
    ...(content && { content: describeContent(content, 'response', components) }),
    headers: {
      ...response.headers,
      ...headers('X-Request-Id'),
      ...(status === '401' && headers('WWW-Authenticate')),
      ...(status === '405' && headers('Allow')),
      ...((status === '429' || status === '503') && headers('Retry-After')),
      ...(isCounted &&
        /^2|429/.test(status) &&
        headers('RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset')),
    },
  };
}

function describeContent(content: Content, side: Side, components: SchemaComponents): Content {
  return Object.fromEntries(
    Object.entries(content).map(([type, { schema, ...media }]) => [
      type,
      {
        schema:
          type === 'multipart/form-data'
            ? describeForm(schema, components)
            : components.describe(schema, side),
        ...media,
      },
    ]),
  );
}

/**
 * The members of a form are texts. None of them can be null. A form has no name: NSwag makes parameters of the members of a schema in
 * place, but sends a schema behind a reference as one stream without parts, which the server refuses.
 */
function describeForm({ title: _title, ...schema }: Schema, components: SchemaComponents): Schema {
  return components.describe(schema, 'response');
}

function problem(status: number): Record<string, Response> {
  return {
    [status]: {
      description: problemStatuses[status]?.[2] ?? '',
      content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
    },
  };
}

function headers(...names: (keyof typeof responseHeaders)[]): object {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function mapValues<Value, Result>(
  record: Record<string, Value>,
  map: (value: Value) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}

function sorted<Value>(record: Record<string, Value>): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
