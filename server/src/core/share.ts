/** The part of one process in a budget of the machine, at least `least`. */
export function shareOf(total: number, processes: number, least = 1): number {
  return Math.max(least, Math.floor(total / processes));
}

/**
 * Returns how many slots an owner may have: `most` if the owner is alone, fewer when few slots are free, and never less than one. So
 * owners that keep their slots for long leave free slots for others, unless there are as many owners as slots.
 */
export function fallingLimit(most: number, { free, total }: { free: number; total: number }): number {
  if (most >= total) return most;
  return Math.min(most, Math.max(1, Math.floor((free * most) / (total - most))));
}
