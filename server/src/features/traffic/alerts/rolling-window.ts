/** How many whole seconds a window holds, the running one included. */
export const WINDOW_SECONDS = 60;

/** What was counted within the last minute, by the second. */
export interface RollingWindow {
  /** Counts an amount in a second, and returns what the window that ends with it holds. */
  add(second: number, amount: number): number;
  /** What the window that ends with a second holds. */
  sum(second: number): number;
}

/**
 * A window moves by whole seconds: what was counted in one of them leaves it 60 seconds later. Both operations take the time of
 * an addition, and of one more for each second that has passed. A clock that is set back stands still until it has caught up.
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
