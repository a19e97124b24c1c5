import { clientError } from '../core/errors.ts';
import { callListener, createListeners } from '../core/listeners.ts';
import { requireStorage, type ClientStorage } from '../core/storage.ts';
import { randomId } from '../core/random-id.ts';
import type { BackOff } from '../core/waiting.ts';
import {
  writeEvent,
  type BatchResult,
  type EventDescription,
  type EventKind,
  type Refusal,
} from './batch.ts';
import { createEventStore, type QueuedEvent } from './event-store.ts';
import { sendOnPageHide } from './page-hide.ts';
import { createOwners, ownerOf, type EventOwner } from './owners.ts';
import { createSenderLoop, type EventSender, type SenderState } from './sender-loop.ts';
import { createStorageSweep } from './storage-sweep.ts';

/**
 * The key and the time together are the name of an event. The server stores a name once. A random key is made if it is
 * missing, and the time is `session.serverTime()` if it is missing. So an own key needs a time.
 */
type EventName =
  | { idempotencyKey: string; occurredAt: Date | string }
  | { idempotencyKey?: undefined; occurredAt?: Date | string | undefined };

export type EventContent = EventDescription & EventName;

export type MatchEventContent = EventContent & { matchSessionId: string; matchPlayerId: string };

/** An event as it is stored and sent. It never changes. */
export type SentEvent = Record<string, unknown> & { idempotencyKey: string; occurredAt: string };

export interface DroppedEvents {
  /**
   * `full`: the queue has `maxBytes`. `too_old`: the player did not sign in within `maxAgeMs`. `closed`: the queue was closed, and the
   * storage had refused them.
   */
  reason: 'full' | 'too_old' | 'closed';
  events: SentEvent[];
}

export interface RefusedEvent extends Refusal {
  event: SentEvent;
}

/** The server did not take the event exactly as it was sent. */
export interface WarnedEvent {
  event: SentEvent;
  message: string;
}

export interface Progress extends SenderState {
  /** Events that no answer arrived for. After the sign-in of another player, those of the earlier player wait in the storage only. */
  waiting: number;
  waitingBytes: number;
  /** Waiting events that the storage refused. They are sent too, but do not survive the end of the program. */
  unsaved: number;
  /** Events of this queue since its creation, by what became of them. */
  stored: number;
  duplicates: number;
  refused: number;
  dropped: number;
}

export interface EventQueueOptions {
  /** Where events wait. All pages and restarts with the same storage share them. */
  storage: ClientStorage;
  /** The prefix of the events in the storage. By default it is made from the address of the server. */
  storageKey?: string | undefined;
  /** A batch is sent when this many events wait, 500 by default. It has at most this many events. */
  batchEvents?: number | undefined;
  /** The most bytes in a batch, 256 KiB by default. */
  batchBytes?: number | undefined;
  /** The longest time that an event waits for others, 3 seconds by default. */
  batchAfterMs?: number | undefined;
  /** The queue drops new events above this size, 8 MiB by default, and 2 MiB in `localStorage`. */
  maxBytes?: number | undefined;
  /** The queue drops events that wait longer for a sign-in of their player, 30 days by default. */
  maxAgeMs?: number | undefined;
  /** The first and the longest pause after a failure, 1 and 60 seconds by default. */
  backOff?: BackOff | undefined;
  /** How long events of other pages wait before this page sends them too, 30 seconds by default. It looks every 30 seconds. */
  adoptAfterMs?: number | undefined;
  /** Events that the server refused, one by one, with its reason. The default writes to the console. */
  onRefused?: ((refused: RefusedEvent) => void) | undefined;
  /** Warnings of the server, for example about a member that it does not know. The default writes each text to the console once. */
  onWarning?: ((warned: WarnedEvent) => void) | undefined;
  /** Events that are lost. The default writes an error to the console. */
  onDropped?: ((dropped: DroppedEvents) => void) | undefined;
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
  /** The same object until something changes. */
  readonly progress: Progress;
  /** Calls the listener at each change of the progress. Returns a function that ends this. */
  subscribe(listener: (progress: Progress) => void): () => void;
  /** Stops sending, and takes no more events. Waiting events stay in the storage. */
  close(): Promise<void>;
}

const DAY_MS = 86_400_000;
const LOOK_AT_STORAGE_MS = 30_000;

/** Creates a queue that keeps events in the storage, and sends them in batches until the server has answered for each of them. */
export function createEventQueue(sender: EventSender, options: EventQueueOptions): EventQueue {
  const storage = requireStorage((options as Partial<EventQueueOptions> | undefined)?.storage);
  const {
    // No address has a space, so that none is the beginning of another.
    storageKey = `guildhall.events ${sender.baseUrl} `,
    batchEvents = 500,
    batchBytes = 256 * 1024,
    batchAfterMs = 3_000,
    maxBytes = storage.maxEventBytes ?? 8 * 1024 * 1024,
    maxAgeMs = 30 * DAY_MS,
    backOff = { firstMs: 1_000, longestMs: 60_000 },
    adoptAfterMs = 30_000,
    onRefused = ({ event, error }) =>
      console.warn(`Guildhall refused the event "${nameOf(event)}": ${error}`),
    onWarning = warnOnce(),
    onDropped = ({ reason, events }) => console.error(`Guildhall lost ${events.length} events: ${reason}`),
  } = options;

  const { session } = sender;
  const changed = createListeners<Progress>();
  const store = createEventStore(storage, storageKey);
  const counts = { stored: 0, duplicates: 0, refused: 0, dropped: 0 };
  const owners = createOwners(sender.send, store);
  const sweep = createStorageSweep(store, owners, {
    maxAgeMs,
    maxBytes,
    adoptAfterMs,
    onTooOld: (events) => drop('too_old', events),
  });
  const loop = createSenderLoop(sender, store, {
    batchEvents,
    batchBytes,
    batchAfterMs,
    backOff,
    owners,
    sweep,
    settle,
    report,
  });
  /** The current or last player. The game continues while the session is renewed or lost. */
  let player: EventOwner | undefined = session.current;

  const readProgress = (): Progress => ({
    waiting: store.count,
    waitingBytes: store.bytes,
    unsaved: store.unsaved,
    ...counts,
    ...loop.state,
  });
  let lastProgress = readProgress();

  /** The same object until something changes: React renders again and again if it gets another one each time. */
  function progress(): Progress {
    const next = readProgress();
    const names = Object.keys(next) as (keyof Progress)[];
    if (names.some((name) => next[name] !== lastProgress[name])) lastProgress = next;
    return lastProgress;
  }

  function report(): void {
    changed.call(progress());
  }

  async function add(kind: EventKind, content: EventContent): Promise<void> {
    if (loop.isClosed) throw clientError('event_dropped', 'The queue is closed. Create another one.');
    player = session.current ?? (await session.load()) ?? player;
    if (!player)
      throw clientError('not_signed_in', 'Sign in before you add events: each event is of a player.');
    const queued = store.create(
      kind,
      ownerOf(player),
      writeEvent(sentEvent(kind, content, player, session.serverTime())),
    );
    if (store.bytes + queued.bytes > maxBytes) {
      drop('full', [queued]);
      throw clientError('event_dropped', `The queue has ${maxBytes} bytes. The event was dropped.`);
    }
    const isSafe = store.add(queued);
    report();
    loop.startSoon();
    // An event that is not saved yet would be left out of the batch, and sent in a second request.
    if (store.count >= batchEvents) void store.saved().then(loop.start);
    if (!(await isSafe)) throw clientError('event_dropped', 'The event was dropped. `onDropped` says why.');
  }

  function drop(reason: DroppedEvents['reason'], events: QueuedEvent[]): void {
    if (events.length === 0) return;
    counts.dropped += events.length;
    callListener(onDropped, { reason, events: events.map(({ json }) => JSON.parse(json) as SentEvent) });
    report();
  }

  /** Counts an answer and removes its events, except those that another answer was about. */
  async function settle(batch: QueuedEvent[], { stored, refused, warnings }: BatchResult): Promise<void> {
    const waiting = batch.filter((event) => store.has(event)).length;
    const isWaiting = ({ index }: { index: number }) => store.has(batch[index]!);
    const eventAt = (index: number) => JSON.parse(batch[index]!.json) as SentEvent;
    const refusals = refused
      .filter(isWaiting)
      .map(({ index, refusal }) => ({ event: eventAt(index), ...refusal }));
    const warned = warnings
      .filter(isWaiting)
      .map(({ index, message }) => ({ event: eventAt(index), message }));
    const accepted = waiting - refusals.length;
    const newlyStored = Math.min(stored, accepted);
    counts.stored += newlyStored;
    counts.duplicates += accepted - newlyStored;
    counts.refused += refusals.length;
    await store.settle(batch);
    for (const refusal of refusals) callListener(onRefused, refusal);
    for (const warning of warned) callListener(onWarning, warning);
  }

  const endings = [
    session.subscribe((who) => {
      if (!who) return;
      player = who;
      sweep.reset();
      loop.wake();
    }),
    session.onSessionEnded(({ reason }) => {
      if (reason === 'signed_out') player = undefined;
    }),
    sendOnPageHide(sender.send, {
      choose: (kind, mostBytes) => {
        const who = session.current;
        return who && { playerId: who.playerId, batch: store.lastChance(owners.of(who), kind, mostBytes) };
      },
      settle,
    }),
  ];
  const regularly = setInterval(() => {
    sweep.schedule();
    loop.start();
  }, LOOK_AT_STORAGE_MS);
  // A program in Node may end while its queue is open.
  (regularly as { unref?: () => void }).unref?.();
  loop.start();

  return {
    addPlayerEvent: (event) => add('player', event),
    addMatchEvent: (event) => add('match', event),
    flush: async (signal) => {
      await loop.flush(signal);
      return progress();
    },
    get progress() {
      return progress();
    },
    subscribe: (listener) => changed.add(listener),
    close: async () => {
      clearInterval(regularly);
      for (const end of endings) end();
      await loop.close();
      await store.saved();
      drop('closed', store.removeUnsaved());
    },
  };
}

/** Writes each text of a warning to the console once, up to 100 texts. */
function warnOnce(): (warned: WarnedEvent) => void {
  const written = new Set<string>();
  return ({ event, message }) => {
    if (written.has(message) || written.size === 100) return;
    written.add(message);
    console.warn(`Guildhall warns about the event "${nameOf(event)}": ${message}`);
  };
}

/** Names an event for a person. A random `idempotencyKey` says nothing. */
function nameOf({ eventKey, eventDefinitionId, idempotencyKey }: SentEvent): string {
  return String(eventKey ?? eventDefinitionId ?? idempotencyKey);
}

/** Gives an event its name and its player. */
function sentEvent(kind: EventKind, content: EventContent, player: EventOwner, now: Date): SentEvent {
  if (typeof content !== 'object' || content === null)
    throw new TypeError("An event is an object, such as { eventKey: 'jump' }.");
  const { occurredAt = now, idempotencyKey = randomId(), ...rest } = content;
  if (content.idempotencyKey !== undefined && content.occurredAt === undefined)
    throw new TypeError('An event with an idempotencyKey needs its occurredAt: both are its name.');
  if (occurredAt instanceof Date && Number.isNaN(occurredAt.getTime()))
    throw new TypeError('The occurredAt of an event must be a valid date.');
  return {
    ...(kind === 'player' && { playerId: player.playerId }),
    loginSessionId: player.sessionId,
    ...rest,
    idempotencyKey,
    occurredAt: occurredAt instanceof Date ? occurredAt.toISOString() : occurredAt,
  };
}
