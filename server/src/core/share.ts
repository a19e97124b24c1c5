/** The part of one process in a budget of the machine, at least `least`. */
export function shareOf(total: number, processes: number, least = 1): number {
  return Math.max(least, Math.floor(total / processes));
}
