import { clientError, GuildhallError } from '../core/errors.ts';
import type { RequestOptions, Send } from '../core/http.ts';
import { requireSafe, writeJson } from '../core/json.ts';

/** Match events belong to a player in a match, player events to a player. Each kind has its own endpoint. */
export type EventKind = 'match' | 'player';

/** The definition of an event: `eventKey` with an optional `eventValue`, or its id. The server needs one of the two. */
type DefinitionName =
  | { eventKey?: string | undefined; eventDefinitionId: string }
  | { eventKey: string; eventDefinitionId?: string | undefined };

/** What an event says. */
export type EventDescription = DefinitionName & {
  eventValue?: string | undefined;
  /** A signed 64-bit integer. A number must be a safe integer. */
  value?: number | bigint | undefined;
};

/** Why the server did not store an event. It refuses the same event again until the reason is corrected. */
export interface Refusal {
  statusCode: number;
  error: string;
}

/** The result of a batch. Each event is stored, a duplicate or refused. */
export interface BatchResult {
  stored: number;
  /** Events that were stored before, for example by a request whose answer was lost. */
  duplicates: number;
  refused: { index: number; refusal: Refusal }[];
  warnings: { index: number; message: string }[];
}

interface Lists {
  records?: unknown[];
  errors?: ({ index: number } & Refusal)[];
  warnings?: { index: number; message: string }[];
  duplicateCount?: number;
}

/** Statuses that are about the content of the request. One event of the batch may be the reason. */
const ABOUT_CONTENT = [400, 413, 415, 422];
/** Only the server can refuse an event. But a gateway too has a limit of the size, and smaller batches pass it. */
const isAboutContent = ({ code, status }: GuildhallError, count: number) =>
  ABOUT_CONTENT.includes(status) && (code !== 'unexpected_answer' || (status === 413 && count > 1));

const PATHS: Record<EventKind, string> = {
  match: '/api/game/events',
  player: '/api/game/player-events',
};

/** Writes an event as JSON. Throws a RangeError if its value is a number that is not a safe integer. */
export function writeEvent(event: { idempotencyKey: string; value?: unknown }, name = 'value'): string {
  requireSafe(name, event.value);
  return writeJson(event);
}

/** The body of a batch of events that are JSON already. */
export function bodyOf(events: readonly string[]): string {
  return `{"events":[${events.join(',')}]}`;
}

/**
 * Sends events that are JSON already. If the server refuses the request as a whole for its content, the batch is sent in
 * halves, so that only the events at fault are refused. Throws a `GuildhallError` if the events must be sent again.
 */
export async function sendBatch(
  send: Send,
  kind: EventKind,
  events: readonly string[],
  options?: RequestOptions,
): Promise<BatchResult> {
  if (events.length === 0) return { stored: 0, duplicates: 0, refused: [], warnings: [] };
  try {
    const lists = await send('POST', PATHS[kind], {
      ...options,
      body: bodyOf(events),
      headers: { 'content-type': 'application/json' },
    });
    return resultOf(lists as Lists, events);
  } catch (error) {
    if (!(error instanceof GuildhallError)) throw error;
    if (error.code === 'events_rejected') return resultOf(error.problem as unknown as Lists, events);
    if (!isAboutContent(error, events.length)) throw error;
    if (events.length === 1) {
      const refusal = { statusCode: error.status, error: error.detail };
      return { stored: 0, duplicates: 0, refused: [{ index: 0, refusal }], warnings: [] };
    }
    const middle = Math.ceil(events.length / 2);
    const first = await sendBatch(send, kind, events.slice(0, middle), options);
    return join(first, await sendBatch(send, kind, events.slice(middle), options), middle);
  }
}

/** Reads the lists of an answer, and checks that they are about these events: a proxy may have answered instead. */
function resultOf(lists: Lists | undefined, events: readonly string[]): BatchResult {
  const { records = [], errors = [], warnings = [], duplicateCount = 0 } = lists ?? {};
  if (records.length + errors.length + duplicateCount !== events.length)
    throw clientError('unexpected_answer', 'The answer is not about the events that were sent.');
  const refused = errors.map(({ index, statusCode, error }) => ({ index, refusal: { statusCode, error } }));
  return { stored: records.length, duplicates: duplicateCount, refused, warnings };
}

function join(first: BatchResult, second: BatchResult, offset: number): BatchResult {
  const moved = <Item extends { index: number }>(items: Item[]): Item[] =>
    items.map((item) => ({ ...item, index: item.index + offset }));
  return {
    stored: first.stored + second.stored,
    duplicates: first.duplicates + second.duplicates,
    refused: [...first.refused, ...moved(second.refused)],
    warnings: [...first.warnings, ...moved(second.warnings)],
  };
}
