import { setTimeout as sleep } from 'node:timers/promises';

const WITHIN_MS = 150_000;

/**
 * Waits until a condition is true. It polls after 10 ms at first and every 250 ms later, so that a condition that sends
 * requests stays below the rate limits. Throws after 150 seconds: enough for a machine that does other work.
 */
export async function eventually(
  condition: () => boolean | Promise<boolean>,
  what = condition.toString(),
): Promise<void> {
  const end = Date.now() + WITHIN_MS;
  for (let wait = 10; !(await condition()); wait = Math.min(wait * 1.5, 250)) {
    if (Date.now() > end) throw new Error(`Not true within ${WITHIN_MS} ms: ${what}`);
    await sleep(wait);
  }
}
