import { countsRequests } from './rate-limit.ts';
import { problemDescriptions } from './schemas.ts';

/** The headers of answers, which the document describes once for all operations. */
export const responseHeaders = {
  'X-Request-Id': {
    description: 'The id of the request: the one that the caller sent in this header, or a new one.',
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
    description: 'How many requests the key may send in the window that is nearest to its limit.',
    schema: { type: 'integer' },
  },
  'RateLimit-Remaining': {
    description: 'How many of them are left.',
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
  204: 'The request succeeded. The answer has no body.',
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
 * Renders the generated OpenAPI document, completed with what each operation has in common: the statuses 405 and 500, which
 * are left out of the routes so that a test fails on a 500, and the headers of answers.
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
  const isCounted = countsRequests(security);
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

/** A replacer of JSON.stringify: leaves out what only our validator and our serialiser understand. */
function withoutInternals(key: string, value: unknown): unknown {
  // A member of an object that is called "transform" would have a schema here, not a list.
  if (key === 'transform' && Array.isArray(value)) return undefined;
  return key === 'format' && value === 'unsafe' ? 'uuid' : value;
}
