const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** The waits after the first, second, … failure of a delivery, in seconds (contract §8). After the last wait comes the last try. */
const WAITS = [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR];

/** How much longer a wait may be, so that what failed together does not come back together. */
const JITTER = 0.2;
/** A receiver that asks for a longer pause gets this one. */
const LONGEST_PAUSE = 24 * HOUR;

/**
 * How long to wait after a failure, in seconds; undefined where there were too many. `failures` counts this one.
 * `retryAfter` is what the receiver asked for, by the header of that name: never less than that.
 */
export function waitAfter(failures: number, retryAfter: string | undefined): number | undefined {
  const wait = WAITS[failures - 1];
  if (wait === undefined) return undefined;
  const asked = Math.min(secondsOf(retryAfter), LONGEST_PAUSE);
  return Math.max(wait, asked) * (1 + Math.random() * JITTER);
}

/** A number of seconds, or a date; 0 for anything else. */
function secondsOf(retryAfter: string | undefined): number {
  const text = retryAfter?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text);
  // Date.parse makes a date of nearly everything: one of HTTP begins with a day of the week.
  const date = /^[A-Z][a-z]+, /.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(date) ? 0 : Math.max(0, (date - Date.now()) / 1000);
}
