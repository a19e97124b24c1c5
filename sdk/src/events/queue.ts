import { GuildhallError } from '../core/errors.ts';
import type { Send } from '../core/http.ts';
import { writeJson } from '../core/json.ts';
import { createListeners } from '../core/listeners.ts';
import { isAboutSession, type Session } from '../core/session.ts';
import type { ClientStorage } from '../core/storage.ts';
import { LONGEST_ASKED_MS, randomId } from '../core/waiting.ts';
import { sendBatch, type BatchResult, type EventKind, type Refusal } from './batch.ts';
import { createEventStore, type QueuedEvent } from './event-store.ts';
import { waitForNetwork } from './network.ts';
import { sendOnPageHide } from './page-hide.ts';

/** What happened: `eventKey` with an optional `eventValue`, or the id of the definition. */
export interface EventContent {
  eventKey?: string;
  eventValue?: string;
  eventDefinitionId?: string;
  /** A signed 64-bit integer. A number must be a safe integer. */
  value?: number | bigint;
  /** Your own name of the event. A random one is made if it is missing. The server stores a name once. */
  idempotencyKey?: string;
  /** When it happened: now, if it is missing. */
  occurredAt?: Date | string;
}

export interface MatchEventContent extends EventContent {
  matchSessionId: string;
  matchPlayerId: string;
}

/** An event as it is stored and sent. It never changes. */
export type SentEvent = Record<string, unknown> & { idempotencyKey: string; occurredAt: string };

export interface DroppedEvents {
  /**
   * `full`: the queue has `maxBytes`. `too_old`: the events waited longer than `maxAgeMs`. `closed`: the queue was closed, and the
   * storage had refused them.
   */
  reason: 'full' | 'too_old' | 'closed';
  events: SentEvent[];
}

export interface RefusedEvent extends Refusal {
  event: SentEvent;
}

/** Why the queue is not sending. */
export type WaitingFor = 'session' | 'network' | 'server' | 'rate_limit' | 'quota';

export interface Progress {
  /** Events that no answer arrived for. */
  waiting: number;
  waitingBytes: number;
  /** Waiting events that the storage refused. They are sent too, but do not survive the end of the program. */
  unsaved: number;
  /** Events of this queue since its creation, by what became of them. */
  stored: number;
  duplicates: number;
  refused: number;
  dropped: number;
  isSending: boolean;
  waitingFor: WaitingFor | undefined;
  /** The last failure, until a batch succeeds. */
  error: GuildhallError | undefined;
}

export interface EventQueueOptions {
  /** Where events wait. All pages and restarts with the same storage share them. */
  storage: ClientStorage;
  /** The prefix of the events in the storage, `guildhall.events/` by default. */
  storageKey?: string;
  /** A batch is sent when this many events wait, 500 by default. It has at most this many events. */
  batchEvents?: number;
  /** The most bytes in a batch, 256 KiB by default. */
  batchBytes?: number;
  /** The longest time that an event waits for others, 3 seconds by default. */
  batchAfterMs?: number;
  /** The queue drops new events above this size, 8 MiB by default. */
  maxBytes?: number;
  /** The queue drops events that wait longer, 30 days by default. */
  maxAgeMs?: number;
  /** The first and the longest pause after a failure, 1 and 60 seconds by default. */
  backOff?: { firstMs: number; longestMs: number };
  /** How long events of other pages wait before this page sends them too, 30 seconds by default. */
  adoptAfterMs?: number;
  /** Events that the server refused, one by one, with its reason. The default writes to the console. */
  onRefused?(refused: RefusedEvent): void;
  /** Events that are lost. The default writes an error to the console. */
  onDropped?(dropped: DroppedEvents): void;
}

/** The part of a player client that the queue uses. */
export interface EventSender {
  send: Send;
  session: Session<EventOwner>;
}

/** Whose session sends an event. */
export interface EventOwner {
  playerId: string;
  tenantId?: string | undefined;
  /** The login session, which becomes the `loginSessionId` of events. */
  sessionId?: string | undefined;
}

/**
 * Delivers each event exactly once: an event is stored with its name before it is sent, sent again until the server answers,
 * and the server stores each name once.
 */
export interface EventQueue {
  /**
   * Adds an event of the player who is signed in. It resolves when the event is safe: in the storage or on the server. It
   * rejects if the event was dropped.
   */
  addPlayerEvent(event: EventContent): Promise<void>;
  addMatchEvent(event: MatchEventContent): Promise<void>;
  /** Sends the waiting events now. It resolves if none waits any more, if those that wait need a sign-in, or if the signal ends the wait. */
  flush(signal?: AbortSignal): Promise<Progress>;
  readonly progress: Progress;
  /** Calls the listener at each change of the progress. Returns a function that ends this. */
  subscribe(listener: (progress: Progress) => void): () => void;
  /** Stops sending, and takes no more events. Waiting events stay in the storage. */
  close(): Promise<void>;
}

const DAY_MS = 86_400_000;
const LOOK_AT_STORAGE_MS = 30_000;
/** A full plan is unlikely to get room within seconds. */
const QUOTA_PAUSE_MS = 60_000;

export function createEventQueue(sender: EventSender, options: EventQueueOptions): EventQueue {
  const {
    storage,
    storageKey = 'guildhall.events/',
    batchEvents = 500,
    batchBytes = 256 * 1024,
    batchAfterMs = 3_000,
    maxBytes = 8 * 1024 * 1024,
    maxAgeMs = 30 * DAY_MS,
    backOff = { firstMs: 1_000, longestMs: 60_000 },
    adoptAfterMs = 30_000,
    onRefused = ({ event, error }) =>
      console.warn(`Guildhall refused the event ${event.idempotencyKey}: ${error}`),
    onDropped = ({ reason, events }) => console.error(`Guildhall lost ${events.length} events: ${reason}`),
  } = options;

  const { session } = sender;
  const changed = createListeners<Progress>();
  const store = createEventStore(storage, storageKey);
  const counts = { stored: 0, duplicates: 0, refused: 0, dropped: 0 };
  const closing = new AbortController();
  /** Who is or was signed in: a game goes on while its session is renewed or lost. */
  let owner: EventOwner | undefined;
  let isSending = false;
  let waitingFor: WaitingFor | undefined;
  let lastError: GuildhallError | undefined;
  let failures = 0;
  /** The most events of the next batch, if the plan has fewer units left than a batch has events. */
  let unitsLeft = Infinity;
  let lookedAt = -Infinity;
  let hasAdoptedAll = false;
  let wake = new AbortController();
  let running: Promise<void> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const progress = (): Progress => ({
    waiting: store.count,
    waitingBytes: store.bytes,
    unsaved: store.unsaved,
    ...counts,
    isSending,
    waitingFor,
    error: lastError,
  });
  const report = () => changed.call(progress());

  async function add(kind: EventKind, content: EventContent): Promise<void> {
    if (closing.signal.aborted)
      throw clientError('event_dropped', 'The queue is closed. Create another one.');
    owner = session.current ?? (await session.load()) ?? owner;
    if (!owner)
      throw clientError('not_signed_in', 'Sign in before you add events: each event is of a player.');
    const { occurredAt = new Date(), idempotencyKey = randomId(), ...rest } = content;
    if (typeof rest.value === 'number' && !Number.isSafeInteger(rest.value))
      throw new RangeError('The value of an event is a safe integer or a bigint.');
    const event = {
      ...(kind === 'player' && { playerId: owner.playerId }),
      ...(owner.sessionId && { loginSessionId: owner.sessionId }),
      ...rest,
      idempotencyKey,
      occurredAt: occurredAt instanceof Date ? occurredAt.toISOString() : occurredAt,
    };
    const queued = store.create(kind, nameOf(owner), writeJson(event));
    if (store.bytes + queued.bytes > maxBytes) {
      drop('full', [queued]);
      throw clientError('event_dropped', `The queue has ${maxBytes} bytes. The event was dropped.`);
    }
    const isSafe = store.add(queued);
    report();
    if (store.count >= batchEvents) start();
    else timer ??= setTimeout(start, batchAfterMs);
    if (!(await isSafe)) throw clientError('event_dropped', 'The event was dropped. `onDropped` says why.');
  }

  function drop(reason: DroppedEvents['reason'], events: QueuedEvent[]): void {
    if (events.length === 0) return;
    counts.dropped += events.length;
    onDropped({ reason, events: events.map(({ json }) => JSON.parse(json) as SentEvent) });
    report();
  }

  function start(): void {
    clearTimeout(timer);
    timer = undefined;
    if (closing.signal.aborted) return;
    running ??= run().finally(() => {
      running = undefined;
      // Events that came after the last look of the loop.
      if (store.count > 0 && waitingFor === undefined) timer ??= setTimeout(start, batchAfterMs);
    });
  }

  /** Sends batches until no event waits, or until the waiting events need a sign-in. */
  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      const who = session.current ?? (await session.load().catch(() => undefined));
      await lookAtStorage(who);
      const batch = who && store.next(nameOf(who), Math.min(batchEvents, unitsLeft), batchBytes);
      if (batch) await send(batch, who.playerId);
      else if (store.isSaving) await store.saved();
      else break;
    }
    // The remaining events belong to a player who is not signed in.
    waitingFor = store.count > 0 ? 'session' : undefined;
    report();
  }

  async function send(batch: QueuedEvent[], playerId: string): Promise<void> {
    isSending = true;
    waitingFor = undefined;
    report();
    try {
      const texts = batch.map(({ json }) => json);
      const result = await sendBatch(sender.send, batch[0]!.kind, texts, { playerId });
      failures = 0;
      unitsLeft = Infinity;
      lastError = undefined;
      await settle(batch, result);
    } catch (error) {
      lastError = asGuildhallError(error);
    }
    isSending = false;
    report();
    if (lastError) await recover(lastError);
  }

  /** Counts an answer and removes its events, except those that another answer was about. */
  async function settle(batch: QueuedEvent[], { stored, refused }: BatchResult): Promise<void> {
    const waiting = batch.filter((event) => store.has(event)).length;
    const refusals = refused
      .filter(({ index }) => store.has(batch[index]!))
      .map(({ index, refusal }) => ({ event: JSON.parse(batch[index]!.json) as SentEvent, ...refusal }));
    const accepted = waiting - refusals.length;
    const isNew = Math.min(stored, accepted);
    counts.stored += isNew;
    counts.duplicates += accepted - isNew;
    counts.refused += refusals.length;
    await store.settle(batch);
    for (const refusal of refusals) onRefused(refusal);
  }

  /** Waits as long as a failure asks for. */
  async function recover(error: GuildhallError): Promise<void> {
    const { firstMs, longestMs } = backOff;
    const backedOff = Math.min(longestMs, firstMs * 2 ** failures++) * (0.5 + Math.random() / 2);
    const asked = Math.max(backedOff, (error.retryAfter ?? 0) * 1_000);
    if (error.code === 'quota_exceeded') {
      const left = unitsLeftOf(error);
      const isWorthATry = left > 0 && left < Math.min(unitsLeft, store.count);
      unitsLeft = isWorthATry ? left : Infinity;
      return isWorthATry ? undefined : pause('quota', Math.max(QUOTA_PAUSE_MS, asked));
    }
    // If the session has ended, the events wait for the next sign-in.
    if (error.status === 401 && isAboutSession(error))
      return session.current ? pause('session', longestMs) : undefined;
    if (error.status === 429) return pause('rate_limit', asked);
    return pause(error.status === 0 ? 'network' : 'server', asked);
  }

  async function pause(reason: WaitingFor, milliseconds: number): Promise<void> {
    waitingFor = reason;
    report();
    wake = new AbortController();
    const ended = AbortSignal.any([wake.signal, closing.signal]);
    await waitForNetwork(Math.min(milliseconds, LONGEST_ASKED_MS), ended);
  }

  /** Takes over the events of other pages and earlier runs, and drops events that are too old. */
  async function lookAtStorage(who: EventOwner | undefined): Promise<void> {
    const now = Date.now();
    if (Math.abs(now - lookedAt) < LOOK_AT_STORAGE_MS) return;
    lookedAt = now;
    try {
      drop('too_old', await store.removeOlderThan(now - maxAgeMs));
      if (!who) return;
      await store.adopt(nameOf(who), hasAdoptedAll ? now - adoptAfterMs : Infinity, maxBytes);
      hasAdoptedAll = true;
    } catch {
      // The storage does not answer now. The next look may succeed.
    }
  }

  const endings = [
    session.subscribe((who) => {
      if (!who) return;
      owner = who;
      lookedAt = -Infinity;
      hasAdoptedAll = false;
      wake.abort();
      start();
    }),
    session.onSessionEnded(({ reason }) => {
      if (reason === 'signed_out') owner = undefined;
    }),
    sendOnPageHide(sender.send, {
      choose: (kind, mostBytes) => {
        const who = session.current;
        return who && { playerId: who.playerId, batch: store.lastChance(nameOf(who), kind, mostBytes) };
      },
      settle,
    }),
  ];
  const regularly = setInterval(start, LOOK_AT_STORAGE_MS);
  // A program in Node may end while its queue is open.
  (regularly as { unref?: () => void }).unref?.();
  start();

  return {
    addPlayerEvent: (event) => add('player', event),
    addMatchEvent: (event) => add('match', event),
    flush: async (signal) => {
      let end = () => {};
      const ended = new Promise<void>((resolve) => (end = resolve));
      if (signal?.aborted) end();
      signal?.addEventListener('abort', end);
      try {
        do {
          start();
          await Promise.race([running, ended]);
        } while (store.count > 0 && waitingFor !== 'session' && !signal?.aborted && !closing.signal.aborted);
      } finally {
        signal?.removeEventListener('abort', end);
      }
      return progress();
    },
    get progress() {
      return progress();
    },
    subscribe: (listener) => changed.add(listener),
    close: async () => {
      closing.abort();
      clearTimeout(timer);
      clearInterval(regularly);
      for (const end of endings) end();
      await running;
      await store.saved();
      drop('closed', store.removeUnsaved());
    },
  };
}

/** A player's events in one tenant are sent by that player's sessions only. */
function nameOf({ playerId, tenantId = '' }: EventOwner): string {
  return `${tenantId}/${playerId}`;
}

function unitsLeftOf({ problem }: GuildhallError): number {
  const { limit = 0, used = 0 } = (problem['quota'] ?? {}) as { limit?: number; used?: number };
  return limit - used;
}

function clientError(code: string, detail: string): GuildhallError {
  return new GuildhallError({ code, detail, status: 0 });
}

function asGuildhallError(error: unknown): GuildhallError {
  if (error instanceof GuildhallError) return error;
  return new GuildhallError(
    { code: 'network_error', status: 0, detail: 'The events could not be sent.' },
    error,
  );
}
