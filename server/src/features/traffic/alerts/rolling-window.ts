/** The length of a window in whole seconds, including the current one. */
export const WINDOW_SECONDS = 60;

/** The amounts counted within the last minute, by second. */
export interface RollingWindow {
  /** Counts an amount in a second. Returns the sum of the window that ends with that second. */
  add(second: number, amount: number): number;
  /** The sum of the window that ends with a second. */
  sum(second: number): number;
}

/** The amounts that one process has counted since its last report. */
export interface Report {
  name: string;
  /** Amounts per second. `age` is the number of seconds since then. */
  amounts: { age: number; amount: number }[];
}

/** The fullest window of all processes that ends in a reported second or later. */
export interface SharedSum {
  sum: number;
  /** How many seconds ago the window ended. */
  age: number;
}

/** Adds the counts of a process to the shared counts. A sum is undefined if the shared counter does not respond. */
export type SharedWindowSum = (reports: Report[]) => Promise<(SharedSum | undefined)[]>;

/**
 * The window moves by whole seconds: an amount leaves it 60 seconds later. Each operation costs one addition, and one more per
 * elapsed second. If the clock is set back, the window does not move until the clock has caught up.
 */
export function createRollingWindow(): RollingWindow {
  const bySecond = new Float64Array(WINDOW_SECONDS);
  let latest = 0;
  let total = 0;

  const moveTo = (second: number): void => {
    for (let passed = Math.max(latest, second - WINDOW_SECONDS) + 1; passed <= second; passed++) {
      total -= bySecond[passed % WINDOW_SECONDS]!;
      bySecond[passed % WINDOW_SECONDS] = 0;
    }
    latest = Math.max(latest, second);
  };

  return {
    add(second, amount) {
      moveTo(second);
      bySecond[latest % WINDOW_SECONDS]! += amount;
      return (total += amount);
    },
    sum(second) {
      moveTo(second);
      return total;
    },
  };
}
