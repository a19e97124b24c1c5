import { isRateLimited } from './traffic/rate-limit.ts';
import { problemDescriptions } from './schemas.ts';

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
  'Retry-After': {
    description: 'The number of seconds after which to try again.',
    schema: { type: 'integer' },
  },
  'RateLimit-Limit': {
    description:
      'The number of requests that the key may send in the current window (minute or hour, the one with fewer requests left).',
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

interface Response {
  description: string;
  content?: object;
  headers?: object;
}

interface Operation {
  security?: Record<string, unknown>[];
  responses: Record<string, Response>;
}

/**
 * Renders the generated OpenAPI document and adds the parts that all operations share: response headers, and the
 * statuses 405 and 500. Routes do not declare 500, so that a test fails on a 500.
 */
export function renderDocument(document: { paths?: object }): string {
  const paths = Object.values(document.paths ?? {}) as Record<string, Operation>[];
  for (const operation of paths.flatMap((path) => Object.values(path))) complete(operation);
  return JSON.stringify(document, withoutInternals);
}

function complete({ security, responses }: Operation): void {
  for (const status of [405, 500]) {
    responses[status] = {
      description: problemDescriptions[status] ?? '',
      content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
    };
  }
  const isCounted = isRateLimited(security);
  for (const [status, response] of Object.entries(responses)) {
    if (response.description === 'Default Response')
      response.description = SUCCESS_DESCRIPTIONS[status] ?? response.description;
    response.headers = {
      ...response.headers,
      ...headers('X-Request-Id'),
      ...(status === '405' && headers('Allow')),
      ...((status === '429' || status === '503') && headers('Retry-After')),
      ...(isCounted &&
        /^2|429/.test(status) &&
        headers('RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset')),
    };
  }
}

function headers(...names: (keyof typeof responseHeaders)[]): object {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** A JSON.stringify replacer that removes keywords of our own validator and serializer. */
function withoutInternals(key: string, value: unknown): unknown {
  // A property named "transform" has a schema as its value, not a list.
  if (key === 'transform' && Array.isArray(value)) return undefined;
  return key === 'format' && value === 'unsafe' ? 'uuid' : value;
}
