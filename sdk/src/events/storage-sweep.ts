import type { EventStore, QueuedEvent } from './event-store.ts';

/** Looks into the storage from time to time. */
export interface StorageSweep {
  /**
   * Takes over the events of other pages and earlier runs, and drops events of others that are too old. Those of the owner are
   * being sent, and a clock that was set ahead must not drop them.
   */
  look(owner: string | undefined): Promise<void>;
  /** Makes the next look happen at once, and take over all events of the owner. */
  reset(): void;
}

export const LOOK_AT_STORAGE_MS = 30_000;

export function createStorageSweep(
  store: EventStore,
  {
    maxAgeMs,
    maxBytes,
    adoptAfterMs,
    onTooOld,
  }: { maxAgeMs: number; maxBytes: number; adoptAfterMs: number; onTooOld(events: QueuedEvent[]): void },
): StorageSweep {
  let lookedAt = -Infinity;
  let hasAdoptedAll = false;

  return {
    look: async (owner) => {
      const now = Date.now();
      if (Math.abs(now - lookedAt) < LOOK_AT_STORAGE_MS) return;
      lookedAt = now;
      try {
        onTooOld(await store.removeOlderThan(now - maxAgeMs, owner));
        if (owner === undefined) return;
        await store.adopt(owner, hasAdoptedAll ? now - adoptAfterMs : Infinity, maxBytes);
        hasAdoptedAll = true;
      } catch {
        // The storage does not answer now. The next look may succeed.
      }
    },
    reset: () => {
      lookedAt = -Infinity;
      hasAdoptedAll = false;
    },
  };
}
