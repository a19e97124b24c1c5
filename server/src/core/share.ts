/** The part of one process in a budget of the machine, at least `least`. */
export function shareOf(total: number, processes: number, least = 1): number {
  return Math.max(least, Math.floor(total / processes));
}

/**
 * How many slots an owner may have while some of all slots are free. One owner alone may have `most`. With fewer free slots, each owner
 * may have fewer. So owners that keep their slots for long leave free slots for others, unless they are as many as the slots.
 */
export function fallingLimit(most: number, { free, total }: { free: number; total: number }): number {
  if (most >= total) return most;
  return Math.min(most, Math.max(1, Math.floor((free * most) / (total - most))));
}
