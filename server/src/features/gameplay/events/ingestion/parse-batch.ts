import { randomUUID } from 'node:crypto';
import { nextSlice } from '../../../../core/concurrency/event-loop.ts';
import { digitsOfNumber } from '../../../../core/int64.ts';
import { ProblemError } from '../../../../core/problem.ts';
import { requireUtf8 } from '../../../../http/bodies/json-body.ts';

/** A body that is not larger is parsed at once. It takes at most 2.5 ms. */
const SMALL_BODY_BYTES = 64 * 1024;
/** Bytes that are scanned without a pause. They take 0.5 ms. */
const SCANNED_PER_SLICE = 256 * 1024;
/** Bytes and values that are parsed without a pause. They take at most 1 ms. */
const BYTES_PER_SLICE = 32 * 1024;
const VALUES_PER_SLICE = 1_000;
/** Values of one event, or outside of the events. An event with more could not be parsed in a slice. */
const MAX_VALUES_PER_EVENT = 10_000;

/**
 * Parses the body of a batch: an array of events, or an object with the array in its member `events`. If the body is large, the other
 * members of the object are left out. The events are not checked: checkEvent() does that later. A `value` that a JavaScript number may round
 * becomes a string of digits. A reviver would do the same, but takes ten times as long.
 *
 * A large body is parsed in slices. Throws malformed_json. Throws batch_size if the body has more than `mostValues` values, or one
 * event more than 10,000.
 */
export async function parseBatch(tenantId: string, body: Buffer, mostValues: number): Promise<unknown> {
  const json = requireUtf8(body);
  if (json.length <= Math.min(SMALL_BODY_BYTES, mostValues)) return parse(json.toString());

  const arrays = await findArrays(tenantId, json, mostValues);
  if (arrays.length === 0) return parse(json.toString());
  // Each array is replaced by a string that a client cannot guess. The rest of the body is small.
  const placeholder = randomUUID();
  let rest = '';
  let end = 0;
  const parsed: unknown[][] = [];
  for (const array of arrays) {
    rest += `${json.toString('utf8', end, array.start)}"${placeholder}${parsed.length}"`;
    parsed.push(await parseInSlices(tenantId, json, array));
    end = array.end;
  }
  const envelope = parse(rest + json.toString('utf8', end));
  const arrayOf = (value: unknown): unknown =>
    typeof value === 'string' && value.startsWith(placeholder)
      ? parsed[Number(value.slice(placeholder.length))]
      : value;
  if (envelope === null || typeof envelope !== 'object') return arrayOf(envelope);
  // An array cannot be the name of a member.
  if (Object.keys(envelope).some((name) => name.startsWith(placeholder)))
    throw new ProblemError('malformed_json');
  return { events: arrayOf((envelope as { events?: unknown }).events) };
}

/**
 * A member `value` with a long integer, a fraction or an exponent, which JSON.parse may round to another integer. A string cannot
 * match, because its quotation marks are escaped.
 */
const LONG_VALUE =
  /("value"\s*:\s*)(-?(?:[1-9]\d{15,}|(?:0|[1-9]\d*)(?=[.eE]))(?:\.\d+)?(?:[eE][+-]?\d+)?)(?=\s*[,}])/g;

/** The beginning of such a member. The search for it takes a quarter of the time of the replacement. */
const LONG_START = /"value"\s*:\s*-?(?:[\d.]{16}|\d[\d.]*[eE])/;

/** The name of such a member may have escapes, such as `v\u0061lue`. This search takes seven times as long as that of {@link LONG_START}. */
const ESCAPED_NAME = /"(?:v|\\u0076)(?:a|\\u0061)(?:l|\\u006[cC])(?:u|\\u0075)(?:e|\\u0065)"(?=\s*:)/g;

/** Replaces the numbers of such members by texts, of digits if they denote integers. */
const keepDigits = (text: string): string =>
  text.replace(
    LONG_VALUE,
    (_, member: string, number: string) => `${member}"${digitsOfNumber(number) ?? number}"`,
  );

function parse(json: string): unknown {
  const text = json.includes('\\u00') ? json.replace(ESCAPED_NAME, '"value"') : json;
  try {
    return JSON.parse(LONG_START.test(text) ? keepDigits(text) : text) as unknown;
  } catch {
    throw new ProblemError('malformed_json');
  }
}

/** An array in the text: from its bracket to after its closing bracket, with the commas between slices. */
interface EventArray {
  start: number;
  end: number;
  cuts: number[];
}

async function parseInSlices(
  tenantId: string,
  json: Buffer,
  { start, end, cuts }: EventArray,
): Promise<unknown[]> {
  const items: unknown[] = [];
  const bounds = [start, ...cuts, end - 1];
  for (let slice = 1; slice < bounds.length; slice++) {
    if (slice > 1) await nextSlice(tenantId);
    const parsed = parse(`[${json.toString('utf8', bounds[slice - 1]! + 1, bounds[slice])}]`) as unknown[];
    // Between two commas, or between a comma and a bracket, there must be an event.
    if (parsed.length === 0 && cuts.length > 0) throw new ProblemError('malformed_json');
    for (const item of parsed) items.push(item);
  }
  return items;
}

const QUOTATION_MARK = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/** The state of a scan between two turns. */
interface Scan {
  index: number;
  isText: boolean;
  depth: number;
  eventDepth: number;
  /** The number of values so far, at the last cut, before the current event, and outside of the arrays. */
  values: number;
  valuesAtCut: number;
  valuesBeforeEvent: number;
  valuesOutside: number;
  array: EventArray | undefined;
  arrays: EventArray[];
}

/**
 * Finds the arrays whose items are parsed in slices: the body itself, or members of its object. Counts commas
 * and opening brackets outside of strings, before the body becomes objects. Does not check the syntax.
 */
async function findArrays(tenantId: string, json: Buffer, mostValues: number): Promise<EventArray[]> {
  const scan: Scan = {
    index: 0,
    isText: false,
    depth: 0,
    eventDepth: 0,
    values: 0,
    valuesAtCut: 0,
    valuesBeforeEvent: 0,
    valuesOutside: 0,
    array: undefined,
    arrays: [],
  };
  scanPart(json, scan, mostValues);
  while (scan.index < json.length) {
    await nextSlice(tenantId);
    scanPart(json, scan, mostValues);
  }
  if (scan.array) throw new ProblemError('malformed_json');
  return scan.arrays;
}

/** Scans the next part. Local variables make the loop twice as fast as the members of the state. */
function scanPart(json: Buffer, scan: Scan, mostValues: number): void {
  const { arrays } = scan;
  let { index, isText, depth, eventDepth, values, valuesAtCut, valuesBeforeEvent, valuesOutside, array } =
    scan;
  const end = Math.min(json.length, index + SCANNED_PER_SLICE);
  for (; index < end; index++) {
    const byte = json[index];
    if (byte === QUOTATION_MARK) isText = !isText;
    else if (isText) {
      if (byte === BACKSLASH) index++;
    } else if (byte === COMMA || byte === OPENING_BRACE || byte === OPENING_BRACKET) {
      if (++values > mostValues) throw tooManyValues(`The body may contain at most ${mostValues} values.`);
      const together = array ? values - valuesBeforeEvent : ++valuesOutside;
      if (together > MAX_VALUES_PER_EVENT)
        throw tooManyValues(`One event may contain at most ${MAX_VALUES_PER_EVENT} values.`);
      if (byte !== COMMA) {
        depth++;
        if (array || byte === OPENING_BRACE || depth > 2) continue;
        array = { start: index, end: index, cuts: [] };
        eventDepth = depth;
        valuesBeforeEvent = valuesAtCut = values;
      } else if (array && depth === eventDepth) {
        valuesBeforeEvent = values;
        const last = array.cuts.at(-1) ?? array.start;
        if (index - last < BYTES_PER_SLICE && values - valuesAtCut < VALUES_PER_SLICE) continue;
        array.cuts.push(index);
        valuesAtCut = values;
      }
    } else if (byte === CLOSING_BRACE || byte === CLOSING_BRACKET) {
      depth--;
      if (!array || depth >= eventDepth) continue;
      if (byte === CLOSING_BRACE) throw new ProblemError('malformed_json');
      array.end = index + 1;
      arrays.push(array);
      array = undefined;
    }
  }
  Object.assign(scan, {
    index,
    isText,
    depth,
    eventDepth,
    values,
    valuesAtCut,
    valuesBeforeEvent,
    valuesOutside,
    array,
  });
}

function tooManyValues(what: string): ProblemError {
  return new ProblemError('batch_size', `${what} Send fewer members or events.`);
}
