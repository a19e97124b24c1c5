import type { ErrorObject } from 'ajv';
import { ProblemError } from '../../core/problem.ts';
import { TIMESTAMP_FORM } from '../../core/timestamps.ts';

/** The most errors that one problem document lists. */
const MOST_ERRORS = 20;

/** The names of the parts of a request. */
const PARTS: Record<string, string> = { body: 'body', querystring: 'query', headers: 'header' };

/**
 * Turns the errors of a schema into a problem document, in words instead of the keywords of JSON Schema. `query` has the parameters that
 * were sent.
 */
export function validationProblem(
  part: string | undefined,
  errors: readonly ErrorObject[],
  query: unknown,
): ProblemError {
  const where = PARTS[part ?? ''] ?? 'request';
  const details = errors.slice(0, MOST_ERRORS).map((error) => ({
    path: pathOf(error),
    message: part === 'querystring' && isRepeated(error, query) ? 'must occur once' : messageOf(error),
  }));
  const [{ path, message } = { path: '', message: 'is not valid' }] = details;
  return new ProblemError('invalid_request', {
    detail: path ? `The ${where} is not valid: ${path} ${message}.` : `The ${where} ${message}.`,
    members: { errors: details },
  });
}

/**
 * Turns the errors of a path into a problem document. An invalid id returns 404, as an unknown id does. The detail of a name that is not
 * in a list names the list.
 */
export function unknownPath(errors: readonly ErrorObject[]): ProblemError {
  const unlisted = errors.find(({ keyword }) => keyword === 'enum');
  return new ProblemError(
    'not_found',
    unlisted ? `The path is not valid: ${pathOf(unlisted)} ${messageOf(unlisted)}.` : {},
  );
}

/** A parameter of a query that occurs twice is an array, which no schema of a query accepts. */
const isRepeated = ({ instancePath }: ErrorObject, query: unknown): boolean =>
  Array.isArray((query as Record<string, unknown>)[instancePath.slice(1)]);

/** The most characters of a name that the client has made up. */
const MOST_NAME = 64;

/** The path of the member, such as `players.0.playerId`. A missing member has the path that it should have. */
function pathOf({ instancePath, params }: ErrorObject): string {
  const member = params.missingProperty ?? params.additionalProperty?.slice(0, MOST_NAME) ?? params.tag;
  return [...instancePath.split('/').slice(1), ...(member === undefined ? [] : [member])].join('.');
}

const TYPES: Record<string, string> = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
  null: 'null',
  // The schema Int64.
  'integer,string': 'a signed 64-bit integer, as a number or as a text of digits',
};

const FORMATS: Record<string, string> = {
  uuid: 'a UUID',
  email: 'an email address',
  uri: 'a URL',
  'date-time': TIMESTAMP_FORM,
};

/** The patterns of the schemas. Other patterns are shown as they are. */
const PATTERNS: Record<string, string> = {
  '^[0-9]{6}$': 'must be six digits',
  '^0x[0-9a-fA-F]{40}$': 'must be 0x and 40 hexadecimal digits',
  '^[a-z0-9]+(-[a-z0-9]+)*$': 'must be lower-case words of a to z and 0 to 9, joined by hyphens',
  '^[!-~]*$': 'must contain only visible ASCII characters',
};

/** Describes the error of a member, as the rest of a sentence. */
function messageOf({ instancePath, keyword, params, message = 'is not valid' }: ErrorObject): string {
  const { limit } = params;
  switch (keyword) {
    case 'required':
      return 'is missing';
    case 'additionalProperties':
      return 'is unknown';
    case 'type': {
      const types = [params.type].flat() as string[];
      return `must be ${TYPES[types.join()] ?? types.map((type) => TYPES[type] ?? type).join(' or ')}`;
    }
    case 'enum':
      return oneOf(params.allowedValues as readonly unknown[]);
    case 'format':
      return `must be ${FORMATS[params.format as string] ?? params.format}`;
    case 'pattern':
      return PATTERNS[params.pattern as string] ?? `must match the pattern ${params.pattern}`;
    case 'minimum':
      return `must be at least ${limit}`;
    case 'maximum':
      return `must be at most ${limit}`;
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      return limit === 1 ? 'must not be empty' : `must have at least ${count(keyword, limit)}`;
    case 'maxLength':
      if (instancePath === '/refreshToken')
        return 'is longer than a refresh token. Send the refresh token, which begins with gh_, not an access token';
      return `must have at most ${count(keyword, limit)}`;
    case 'maxItems':
      return `must have at most ${count(keyword, limit)}`;
    case 'uniqueItems':
      return 'must not have an item twice';
    case 'discriminator':
      return 'is missing, or not one of the values that this operation accepts';
    default:
      return message;
  }
}

function oneOf(values: readonly unknown[]): string {
  const names = values.map((value) => String(value));
  return names.length === 1
    ? `must be ${names[0]}`
    : `must be ${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

function count(keyword: string, limit: number): string {
  const what = keyword.endsWith('Length') ? 'character' : keyword.endsWith('Items') ? 'item' : 'member';
  return `${limit} ${what}${limit === 1 ? '' : 's'}`;
}
