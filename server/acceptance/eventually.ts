import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until a condition is true. Throws after `ms`. */
export async function eventually(
  condition: () => boolean | Promise<boolean>,
  ms = 60_000,
  what = condition.toString(),
): Promise<void> {
  const end = Date.now() + ms;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`Not true within ${ms} ms: ${what}`);
    await sleep(20);
  }
}
