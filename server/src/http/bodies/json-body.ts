import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { digitsOfNumber } from '../../core/int64.ts';
import { invalidField, ProblemError } from '../../core/problem.ts';
import { findInJson, firstCodePoints, isNestedWithin, isUnstorable } from '../../core/text.ts';
import { createSliceTurns } from '../../core/concurrency/turns.ts';
import { clientSite } from '../client-address.ts';

/** Escapes of NUL and of surrogates. Only a body that contains one can contain text that PostgreSQL rejects. */
const UNSTORABLE_ESCAPE = /\\u(?:0000|d[89a-f])/i;

/**
 * A body without one of these has no number beyond the range of a double, which JSON.parse turns into Infinity: an exponent of two digits
 * needs 210 more. Only the first digit of a number can begin a match, so the search takes linear time.
 */
const HUGE_NUMBER = /\de\+?\d{3}|(?<!\d)\d{210}/i;

/** A JSON number of which a JavaScript number may lose digits: it has many, or an exponent. */
const LONG_NUMBER = /[\d.]{16}|\de/i;

/**
 * Real metadata is much flatter. Recursive functions (ours, JSON.stringify, PostgreSQL) fail only at a much deeper
 * level.
 */
const MAX_NESTING = 64;

/** Only a body that contains one of these can contain a prototype member, because letters may be escaped. */
const PROTOTYPE_MEMBER = /__proto__|constructor|\\u/;

/**
 * Accepts JSON bodies only: UTF-8, without NUL or unpaired surrogates, and at most {@link MAX_NESTING} levels deep.
 * Compressed bodies are refused with 415. Members called `__proto__` or `constructor` are ignored.
 */
export function parseJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  addJsonParser(app, (_text, value) => value);
}

/**
 * Parses bodies like {@link parseJsonBodies}, but keeps the digits of integers that a JavaScript number cannot
 * represent. In the named members they become strings of digits, which `Int64` accepts. In other members a string would
 * look like one that the client sent.
 */
export function keepLongIntegers(app: FastifyInstance, members: readonly string[]): void {
  const keepDigits = (name: string, value: unknown, context?: { source?: string }): unknown => {
    if (typeof value !== 'number') return value;
    const digits = digitsOfNumber(context?.source ?? '');
    // If it is a fraction, it was rounded to an integer. NaN makes validation reject it.
    if (digits === undefined) return Number.isInteger(value) ? NaN : value;
    return members.includes(name) && !Number.isSafeInteger(value) ? digits : value;
  };
  app.removeContentTypeParser('application/json');
  addJsonParser(app, (text, value) => (LONG_NUMBER.test(text) ? JSON.parse(text, keepDigits) : value));
}

/** Parses bodies. Calls `finish` with the checked text and the parsed value. */
function addJsonParser(app: FastifyInstance, finish: (text: string, value: unknown) => unknown): void {
  const parseBody = (buffer: Buffer): unknown => {
    const text = requireUtf8(buffer).toString('utf8');
    // An empty body counts as none: some clients send the content type with every request.
    const body = text === '' ? undefined : finish(text, parse(text));
    if (PROTOTYPE_MEMBER.test(text)) removePrototypeMembers(body);
    return body;
  };
  addParser(app, parseBody, { parsedAtOnce: PARSED_AT_ONCE });
}

/**
 * A larger body waits for a slice of the event loop. The roster of a match of 1,000 players takes 48 KiB, and 5 to 10 ms to parse, check
 * and store. If 100 of them arrived at once, the event loop was blocked for 600 ms.
 */
const PARSED_AT_ONCE = 8 * 1024;

/**
 * Larger bodies wait here, and only one of them among the other work in slices. Otherwise a batch of events would wait for all of them
 * before each of its slices: 100 rosters delayed it from 0.4 to more than 60 seconds.
 */
const parseInTurn = createSliceTurns('bodies');

function addParser(
  app: FastifyInstance,
  parseBody: (buffer: Buffer) => unknown,
  { parsedAtOnce }: { parsedAtOnce: number },
): void {
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, buffer: Buffer, done) => {
    const parseNow = (): void => {
      let body: unknown;
      try {
        refuseCompressed(request);
        body = parseBody(buffer);
      } catch (error) {
        return done(error as Error);
      }
      done(null, body);
    };
    if (buffer.length <= parsedAtOnce) return parseNow();
    const parseLater = async (): Promise<void> => {
      try {
        await parseInTurn(request.keyCaller?.tenantId ?? clientSite(request), async () => {
          parseNow();
          // The request is also checked and handled until its first wait.
          await nextTurn();
        });
      } catch (error) {
        done(error as Error);
      }
    };
    void parseLater();
  });
}

function refuseCompressed({ headers }: FastifyRequest): void {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity')
    throw new ProblemError('unsupported_media_type', 'Send the body uncompressed, without Content-Encoding.');
}

/** Throws the problem of a body that is no JSON, or whose value cannot be stored. */
function parse(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ProblemError('malformed_json');
  }
  if (!isNestedWithin(value, MAX_NESTING))
    throw invalidValue([], `has more than ${MAX_NESTING} levels`, 'Send fewer levels of objects and arrays.');
  const huge = HUGE_NUMBER.test(text) && findInJson(value, isInfinite);
  if (huge) throw invalidValue(huge, 'is a number beyond 1.8e308', 'Send a smaller number, or a string.');
  const unstorable = UNSTORABLE_ESCAPE.test(text) && findInJson(value, isUnstorable);
  if (unstorable)
    throw invalidValue(unstorable, 'contains a NUL character or an unpaired surrogate', 'Remove it.');
  return value;
}

/** JSON has no infinite numbers, so they would be stored as null. */
const isInfinite = (value: unknown): boolean => value === Infinity || value === -Infinity;

/** The most characters of a path, because the client has made the names up. */
const MOST_PATH = 256;

/** The problem of a value of the body. */
function invalidValue(names: string[], message: string, advice: string): ProblemError {
  const path = firstCodePoints(names.join('.'), MOST_PATH);
  return invalidField(path, message, `${names.length === 0 ? 'The body' : path} ${message}. ${advice}`);
}

/** If code copied or merged such a member later, it would change the prototype of an object. */
function removePrototypeMembers(value: unknown): void {
  if (value === null || typeof value !== 'object') return;
  for (const name of ['__proto__', 'constructor'])
    if (Object.hasOwn(value, name)) delete (value as Record<string, unknown>)[name];
  for (const member of Object.values(value)) removePrototypeMembers(member);
}

/** Passes the bodies of a scope to its handlers as Buffers. The handlers parse them. */
export function keepRawBodies(app: FastifyInstance): void {
  app.removeContentTypeParser('application/json');
  addParser(app, (buffer) => buffer, { parsedAtOnce: Infinity });
}

const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** Returns the bytes of a body without its byte order mark. Throws malformed_json if they are not UTF-8. */
export function requireUtf8(body: Buffer): Buffer {
  if (!isUtf8(body))
    throw new ProblemError('malformed_json', 'The body is not valid UTF-8. Encode it in UTF-8.');
  return body.subarray(0, 3).equals(BYTE_ORDER_MARK) ? body.subarray(3) : body;
}
