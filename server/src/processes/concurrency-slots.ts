import { createCounts } from '../core/counts.ts';
import { fallingLimit } from '../core/share.ts';
import { COUNT_WITHIN_MS, type Channel } from './channel.ts';

/** A concurrency slot of an owner. */
export interface Slot {
  owner: string;
  /** How many slots the owner may have. */
  limit: number;
  /** If given, the limit shrinks as this owner runs out of free slots. It never falls below one. */
  fallsWith?: { owner: string; limit: number };
}

/** Counts the slots in use. */
interface ConcurrencySlots {
  /** Acquires one slot of each owner. If an owner has none left, acquires none and returns its index. */
  acquire(slots: Slot[]): number | undefined;
  release(slots: Slot[]): void;
}

/** Counts in the memory of this process. */
export function createConcurrencySlots(): ConcurrencySlots {
  const used = createCounts();
  const limitNow = ({ limit, fallsWith: all }: Slot): number =>
    all ? fallingLimit(limit, { free: all.limit - used.of(all.owner), total: all.limit }) : limit;
  return {
    acquire(slots) {
      const full = slots.findIndex((slot) => used.of(slot.owner) >= limitNow(slot));
      if (full >= 0) return full;
      for (const { owner } of slots) used.add(owner, 1);
      return undefined;
    },
    release(slots) {
      for (const { owner } of slots) used.add(owner, -1);
    },
  };
}

/** The slots of one process, counted in the primary process. */
export interface ProcessSlots {
  acquire(request: { ticket: number; slots: Slot[] }): number | null;
  release(ticket: number): void;
  /** Releases all slots, because the process has ended. */
  releaseAll(): void;
}

/** Counts the slots of one process together with those of other processes. */
export function createProcessSlots(shared: ConcurrencySlots): ProcessSlots {
  const acquired = new Map<number, Slot[]>();
  const release = (ticket: number): void => {
    shared.release(acquired.get(ticket) ?? []);
    acquired.delete(ticket);
  };
  return {
    acquire({ ticket, slots }) {
      const full = shared.acquire(slots);
      if (full === undefined) acquired.set(ticket, slots);
      return full ?? null;
    },
    release,
    releaseAll: () => [...acquired.keys()].forEach(release),
  };
}

/**
 * Acquires slots that all processes of this server share. Returns a function that releases them, or the index of an owner that has
 * none left.
 */
export type AcquireSlots = (slots: Slot[]) => Promise<number | (() => void)>;

/**
 * Acquires slots in the primary process. Without one, and while it does not respond, they are counted in the memory of this process.
 */
export function createAcquireSlots(primary?: Channel): AcquireSlots {
  const own = createConcurrencySlots();
  const acquireOwn = (slots: Slot[]) => own.acquire(slots) ?? (() => own.release(slots));
  if (!primary) return async (slots) => acquireOwn(slots);
  let tickets = 0;
  return async (slots) => {
    const ticket = ++tickets;
    const release = () => void primary.request('release-slots', ticket).catch(() => {});
    try {
      return (
        (await primary.request<number | null>('acquire-slots', { ticket, slots }, COUNT_WITHIN_MS)) ?? release
      );
    } catch {
      // If the primary process responds late, it has acquired slots that nobody uses.
      release();
      return acquireOwn(slots);
    }
  };
}
