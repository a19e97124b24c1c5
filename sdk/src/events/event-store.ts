import type { Changes, ClientStorage } from '../core/storage.ts';
import { randomId } from '../core/random-id.ts';
import type { EventKind } from './batch.ts';

/** An event that waits for its answer. */
export interface QueuedEvent {
  /** Its key in the storage: the time and a number, so that keys sort by age. */
  readonly key: string;
  readonly kind: EventKind;
  /** The tenant and player whose session may send it. */
  readonly owner: string;
  /** The event as it is sent. */
  readonly json: string;
  readonly addedAt: number;
  readonly bytes: number;
  /** Whether the storage has it, or refused it. Until either, it is not sent. */
  state: 'new' | 'saved' | 'refused';
  /** Resolves the promise of the caller who added it: whether it is safe, or dropped. */
  settled?: (isSafe: boolean) => void;
}

/** The events that wait, in memory and in the storage. */
export interface EventStore {
  readonly count: number;
  readonly bytes: number;
  /** How many events the storage refused. */
  readonly unsaved: number;
  readonly isSaving: boolean;
  create(kind: EventKind, owner: string, json: string): QueuedEvent;
  /** Resolves to true when the event is in the storage or settled, and to false when it is dropped before. */
  add(event: QueuedEvent): Promise<boolean>;
  /** The oldest events of one kind and of these owners, up to the limits, or undefined. */
  next(owners: ReadonlySet<string>, mostEvents: number, mostBytes: number): QueuedEvent[] | undefined;
  /** The oldest events of these owners, at most `mostBytes` together. It includes unsaved events, because the page may close now. */
  lastChance(owners: ReadonlySet<string>, kind: EventKind, mostBytes: number): QueuedEvent[];
  has(event: QueuedEvent): boolean;
  /** Removes events that were answered, here and in the storage. */
  settle(events: QueuedEvent[]): Promise<void>;
  /** The owners of all events, here and in the storage. */
  owners(): Promise<Set<string>>;
  /** Removes the saved events of other owners from memory. They stay in the storage, until their player signs in again. */
  unloadOthers(owners: ReadonlySet<string>): void;
  /** Takes over stored events of these owners that were added before the time, up to a size. */
  adopt(owners: ReadonlySet<string>, before: number, mostBytes: number): Promise<void>;
  /** Removes the events of other owners that were added before the time, here and in the storage, and returns them. */
  removeOlderThan(time: number, owners: ReadonlySet<string>): Promise<QueuedEvent[]>;
  /** Removes and returns the events that the storage refused, because the program may end. */
  removeUnsaved(): QueuedEvent[];
  /** Resolves when no write is in progress. */
  saved(): Promise<void>;
}

/** The entry of an event in the storage. */
type Entry = [kind: EventKind, owner: string, json: string];

/** Writes have at most this many events, so that each ends soon. */
const MOST_IN_A_WRITE = 1_000;
const PAGE = 500;

export function createEventStore(storage: ClientStorage, prefix: string): EventStore {
  const writer = randomId().slice(0, 8);
  const events = new Map<string, QueuedEvent>();
  let toSave: QueuedEvent[] = [];
  /** Keys of answered events that are still in the storage, because it did not answer. */
  const toDelete = new Set<string>();
  let bytes = 0;
  let unsaved = 0;
  let number = 0;
  let saving: Promise<void> | undefined;

  function insert(event: QueuedEvent): void {
    events.set(event.key, event);
    bytes += event.bytes;
  }

  function remove(event: QueuedEvent, isSafe: boolean): void {
    if (!events.delete(event.key)) return;
    bytes -= event.bytes;
    if (event.state === 'refused') unsaved--;
    event.settled?.(isSafe);
  }

  /** Returns whether the storage took the changes. A storage of the game may throw at once, or return no promise. */
  async function write(changes: Changes): Promise<boolean> {
    try {
      await storage.write(changes);
      return true;
    } catch {
      return false;
    }
  }

  /** Writes all new events, together with those that come in the meantime. */
  async function save(): Promise<void> {
    while (toSave.length > 0) {
      const group = toSave.slice(0, MOST_IN_A_WRITE);
      toSave = toSave.slice(group.length);
      const isSaved = await write(Object.fromEntries(group.map(entryOf)));
      for (const event of group) {
        // It may have been sent on a page hide and answered in the meantime.
        if (!events.has(event.key)) {
          if (isSaved) toDelete.add(event.key);
          continue;
        }
        event.state = isSaved ? 'saved' : 'refused';
        if (isSaved) event.settled?.(true);
        else unsaved++;
      }
    }
  }

  function startSaving(): void {
    saving ??= save().finally(() => {
      saving = undefined;
      if (toSave.length > 0) startSaving();
    });
  }

  async function deleteStored(): Promise<void> {
    const keys = [...toDelete];
    if (keys.length === 0) return;
    // If the storage does not answer, the next run sends them again, and the server counts them as duplicates.
    const isDeleted = await write(Object.fromEntries(keys.map((key) => [key, undefined])));
    if (isDeleted) for (const key of keys) toDelete.delete(key);
  }

  /** All events in the storage, oldest first. */
  async function* stored(): AsyncGenerator<QueuedEvent> {
    for (let after: string | undefined; ;) {
      const entries = await storage.list(prefix, PAGE, after);
      for (const [key, value] of entries) {
        const event = events.get(key) ?? eventOf(prefix, key, value);
        if (event) yield event;
      }
      after = entries.at(-1)?.[0];
      if (entries.length < PAGE) return;
    }
  }

  return {
    get count() {
      return events.size;
    },
    get bytes() {
      return bytes;
    },
    get unsaved() {
      return unsaved;
    },
    get isSaving() {
      return saving !== undefined;
    },
    create: (kind, owner, json) => {
      const addedAt = Date.now();
      const key = `${prefix}${stamp(addedAt)}-${writer}-${stamp(number++)}`;
      return { key, kind, owner, json, addedAt, bytes: sizeOf(key, owner, json), state: 'new' };
    },
    add: (event) =>
      new Promise((resolve) => {
        event.settled = resolve;
        insert(event);
        toSave.push(event);
        startSaving();
      }),
    next: (owners, mostEvents, mostBytes) => {
      const batch: QueuedEvent[] = [];
      let size = 0;
      for (const event of events.values()) {
        if (!owners.has(event.owner) || event.state === 'new') continue;
        if (batch.length > 0 && event.kind !== batch[0]!.kind) continue;
        size += event.json.length;
        if (batch.length > 0 && size > mostBytes) break;
        batch.push(event);
        if (batch.length >= mostEvents) break;
      }
      return batch.length > 0 ? batch : undefined;
    },
    lastChance: (owners, kind, mostBytes) => {
      const encoder = new TextEncoder();
      const chosen: QueuedEvent[] = [];
      let size = 0;
      for (const event of events.values()) {
        if (!owners.has(event.owner) || event.kind !== kind) continue;
        // One byte for the comma.
        size += encoder.encode(event.json).length + 1;
        if (size > mostBytes) break;
        chosen.push(event);
      }
      return chosen;
    },
    has: ({ key }) => events.has(key),
    settle: async (answered) => {
      for (const event of answered) {
        if (event.state === 'saved') toDelete.add(event.key);
        remove(event, true);
      }
      await deleteStored();
      // Now there may be room for those that the storage refused.
      for (const event of events.values()) {
        if (event.state !== 'refused') continue;
        unsaved--;
        event.state = 'new';
        toSave.push(event);
      }
      if (toSave.length > 0) startSaving();
    },
    owners: async () => {
      const found = new Set([...events.values()].map(({ owner }) => owner));
      for await (const { owner } of stored()) found.add(owner);
      return found;
    },
    unloadOthers: (owners) => {
      for (const event of events.values())
        if (event.state === 'saved' && !owners.has(event.owner)) remove(event, true);
    },
    adopt: async (owners, before, mostBytes) => {
      for await (const event of stored()) {
        if (event.addedAt >= before || bytes >= mostBytes) return;
        if (owners.has(event.owner) && !events.has(event.key) && !toDelete.has(event.key)) insert(event);
      }
    },
    removeOlderThan: async (time, owners) => {
      const isOld = (event: QueuedEvent) => event.addedAt < time && !owners.has(event.owner);
      const old = new Map([...events].filter(([, event]) => isOld(event)));
      for await (const event of stored()) {
        if (event.addedAt >= time) break;
        if (isOld(event) && !toDelete.has(event.key)) old.set(event.key, event);
      }
      for (const event of old.values()) {
        toDelete.add(event.key);
        remove(event, false);
      }
      await deleteStored();
      return [...old.values()];
    },
    removeUnsaved: () => {
      const lost = [...events.values()].filter(({ state }) => state === 'refused');
      for (const event of lost) remove(event, false);
      return lost;
    },
    saved: async () => {
      while (saving) await saving;
    },
  };
}

function entryOf({ key, kind, owner, json }: QueuedEvent): [string, string] {
  const entry: Entry = [kind, owner, json];
  return [key, JSON.stringify(entry)];
}

/** Returns undefined if another program wrote or damaged the entry: one that cannot be sent would hold back all others. */
function eventOf(prefix: string, key: string, value: string): QueuedEvent | undefined {
  try {
    const [kind, owner, json] = JSON.parse(value) as Entry;
    if (kind !== 'match' && kind !== 'player') return undefined;
    const event: unknown = JSON.parse(json);
    if (typeof event !== 'object' || event === null) return undefined;
    const addedAt = Number.parseInt(key.slice(prefix.length), 36);
    return { key, kind, owner, json, addedAt, bytes: sizeOf(key, owner, json), state: 'saved' };
  } catch {
    return undefined;
  }
}

/** Most storages take two bytes for a character. */
function sizeOf(...texts: string[]): number {
  return texts.reduce((size, { length }) => size + 2 * length, 0);
}

/** Text that sorts like the number, up to 36^9. */
function stamp(value: number): string {
  return value.toString(36).padStart(9, '0');
}
