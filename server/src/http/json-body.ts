import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { ProblemError } from '../core/problem.ts';
import { isNestedWithin, isStorableDeep } from '../core/text.ts';

/** The escapes of NUL and of surrogates: only texts that hold one can hold something that PostgreSQL refuses. */
const SUSPICIOUS = /\\u(?:0000|d[89a-f])/i;

/** A number in JSON with so many digits that a JavaScript number may not hold it exactly. */
const LONG_NUMBER = /[\d.]{16}/;

/** Far above any sensible metadata, far below where recursion (ours, JSON.stringify's, PostgreSQL's) runs out of stack. */
const DEEPEST_NESTING = 64;

/** Only a text that holds one of these can hold a member that {@link dropPrototypeMembers} drops: a letter may be escaped. */
const PROTOTYPE_MEMBER = /__proto__|constructor|\\u/;

/**
 * Reads JSON bodies, and no others, strictly: UTF-8 only, no NUL and no broken surrogate in any text, nesting no deeper than
 * {@link DEEPEST_NESTING}. Members called `__proto__` or `constructor` are ignored.
 */
export function parseJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  addJsonParser(app, (_text, value) => value);
}

/**
 * Reads the bodies of a scope as {@link parseJsonBodies} does, but for integers that a JavaScript number does not hold: in these
 * members they arrive as texts of their digits, for `Int64` to take. Anywhere else a text would pass for one that was sent.
 */
export function keepLongIntegers(app: FastifyInstance, members: readonly string[]): void {
  const keepDigits = (name: string, value: unknown, context?: { source?: string }): unknown =>
    exactNumber(value, context, (digits) => (members.includes(name) ? digits : value));
  app.removeContentTypeParser('application/json');
  addJsonParser(app, (text, value) => (LONG_NUMBER.test(text) ? JSON.parse(text, keepDigits) : value));
}

/** `finish` gets what has been read, and its text, once nothing in them is to be feared. */
function addJsonParser(app: FastifyInstance, finish: (text: string, value: unknown) => unknown): void {
  // Members that could poison an object are dropped below, from what `finish` returns.
  const parseJson = app.getDefaultJsonParser('ignore', 'ignore');
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    const text = decode(body);
    if (text === undefined) return done(new ProblemError('malformed_json', 'The body is not UTF-8.'));
    // A body that is announced but empty is none: some clients send the content type with every request.
    if (text === '') return done(null, undefined);
    void parseJson(request, text, (error, value) => {
      if (error) return done(error, undefined);
      if (!isNestedWithin(value, DEEPEST_NESTING))
        return done(
          new ProblemError('invalid_request', `The body is nested deeper than ${DEEPEST_NESTING} levels.`),
        );
      if (SUSPICIOUS.test(text) && !isStorableDeep(value)) {
        return done(
          new ProblemError('invalid_request', 'A text holds a NUL byte or half of a surrogate pair.'),
        );
      }
      const body = finish(text, value);
      if (PROTOTYPE_MEMBER.test(text)) dropPrototypeMembers(body);
      done(null, body);
    });
  });
}

/** A later copy or merge of such a member would change the prototype of an object, so no handler gets one. */
function dropPrototypeMembers(value: unknown): void {
  if (value === null || typeof value !== 'object') return;
  for (const name of ['__proto__', 'constructor'])
    if (Object.hasOwn(value, name)) delete (value as Record<string, unknown>)[name];
  for (const member of Object.values(value)) dropPrototypeMembers(member);
}

/** Leaves the bodies of a scope unread, as Buffers, for its handlers to parse with {@link parseBatch}. */
export function keepRawBodies(app: FastifyInstance): void {
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
}

/**
 * A member `value` that is a long integer, or a fraction, which JSON.parse may round to an integer. No text holds this: in a text
 * the quotation marks are escaped.
 */
const LONG_VALUE = /("value"\s*:\s*)(-?(?:[1-9]\d{15,}|(?:0|[1-9]\d*)\.0*[1-9]\d*))(?=\s*[,}])/g;

/**
 * Parses the body of a batch, leaving the texts of the single items unchecked, for the items are judged one by one. A member
 * `value` with more digits than a JavaScript number keeps arrives as a text of them: a reviver would do the same and take ten
 * times as long as parsing. Throws malformed_json, and batch_size if the body holds more than `mostValues` values.
 */
export function parseBatch(body: Buffer, mostValues: number): unknown {
  if (hasMoreValues(body, mostValues))
    throw new ProblemError(
      'batch_size',
      `The body may hold at most ${mostValues} values. Send fewer members or events.`,
    );
  const text = decode(body);
  if (text === undefined) throw new ProblemError('malformed_json', 'The body is not UTF-8.');
  try {
    return JSON.parse(LONG_NUMBER.test(text) ? text.replace(LONG_VALUE, '$1"$2"') : text) as unknown;
  } catch {
    throw new ProblemError('malformed_json');
  }
}

const QUOTATION_MARK = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;
const OPENING_BRACE = 0x7b;

/** Counts commas and opening brackets outside of texts, before they become objects: 2 ms for each MiB. */
function hasMoreValues(body: Buffer, most: number): boolean {
  if (body.length <= most) return false;
  let values = 0;
  let isText = false;
  for (let index = 0; index < body.length; index++) {
    const byte = body[index];
    if (byte === QUOTATION_MARK) isText = !isText;
    else if (isText) {
      if (byte === BACKSLASH) index++;
    } else if (byte === COMMA || byte === OPENING_BRACE || byte === OPENING_BRACKET) {
      if (++values > most) return true;
    }
  }
  return false;
}

function exactNumber(
  value: unknown,
  context: { source?: string } | undefined,
  fromDigits: (digits: string) => unknown,
): unknown {
  if (typeof value !== 'number') return value;
  const source = context?.source ?? '';
  if (/^-?\d+$/.test(source)) return Number.isSafeInteger(value) ? value : fromDigits(source);
  // A fraction that was rounded to a whole number is still one: it is not to be stored as what it is not.
  return Number.isInteger(value) && /^-?\d+\.0*[1-9]\d*$/.test(source) ? NaN : value;
}

/** The text of a body without its byte order mark, or undefined if it is not UTF-8. */
function decode(body: Buffer): string | undefined {
  if (!isUtf8(body)) return undefined;
  const text = body.toString('utf8');
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}
