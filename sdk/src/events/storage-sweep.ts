import type { EventStore, QueuedEvent } from './event-store.ts';
import type { EventOwner, Owners } from './owners.ts';

/** Looks into the storage from time to time. */
export interface StorageSweep {
  /**
   * Takes over the events of other pages and earlier runs if a look is due, and drops events of others that are too old. Those of
   * the player are being sent, and a clock that was set ahead must not drop them. The saved events of an earlier player
   * leave the memory.
   */
  look(who: EventOwner | undefined): Promise<void>;
  /** Makes a look due. */
  schedule(): void;
  /** Makes a look due that takes over all events of the player. */
  reset(): void;
}

export function createStorageSweep(
  store: EventStore,
  owners: Owners,
  {
    maxAgeMs,
    maxBytes,
    adoptAfterMs,
    onTooOld,
  }: { maxAgeMs: number; maxBytes: number; adoptAfterMs: number; onTooOld(events: QueuedEvent[]): void },
): StorageSweep {
  let isDue = true;
  let hasAdoptedAll = false;

  return {
    look: async (who) => {
      if (!isDue) return;
      isDue = false;
      const now = Date.now();
      // Before any wait, so that the first event of the player has room.
      if (who) store.unloadOthers(owners.of(who));
      // Before any wait too, so that a sign-in during the look can reset it.
      const hadAdoptedAll = hasAdoptedAll;
      if (who) hasAdoptedAll = true;
      try {
        // Old events may be of a merged profile.
        const isLearnt = !who || (await owners.learn(who));
        const own = who ? owners.of(who) : new Set<string>();
        if (isLearnt) onTooOld(await store.removeOlderThan(now - maxAgeMs, own));
        if (!who) return;
        await store.adopt(own, hadAdoptedAll ? now - adoptAfterMs : Infinity, maxBytes);
      } catch {
        // The storage does not answer now. The next look may succeed.
        hasAdoptedAll &&= hadAdoptedAll;
      }
    },
    schedule: () => {
      isDue = true;
    },
    reset: () => {
      isDue = true;
      hasAdoptedAll = false;
      owners.reset();
    },
  };
}
