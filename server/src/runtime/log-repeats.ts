/** How many equal lines are logged in one interval. The next ones are counted. */
const LINES = 3;
const INTERVAL_MS = 30_000;

/** Texts of errors may contain ids, so the number of different lines is bounded. */
const MAX_TEXTS = 1000;

/** Decides about lines that repeat: the limit is per text. */
interface RepeatLimit {
  /** The number of lines that were suppressed before this one. Undefined if this one is suppressed too. */
  admit(text: string): number | undefined;
}

/** Limits equal lines to 3 in 30 seconds. Otherwise an outage of the database would log a line for every request. */
export function createRepeatLimit(now: () => number = performance.now.bind(performance)): RepeatLimit {
  const known = new Map<string, { since: number; lines: number }>();
  return {
    admit(text) {
      const time = now();
      const seen = known.get(text);
      if (seen && time - seen.since < INTERVAL_MS) {
        seen.lines++;
        return seen.lines > LINES ? undefined : 0;
      }
      if (!seen && known.size >= MAX_TEXTS) known.clear();
      known.set(text, { since: time, lines: 1 });
      return seen ? Math.max(0, seen.lines - LINES) : 0;
    },
  };
}
