/** How many steps the worker takes at a time. It limits how long a stopping worker runs, for example after a long outage. */
export const STEPS_PER_RUN = 10;

/**
 * Repeats a step that handles at most `limit` rows and returns their number, until one handles fewer, or `most` steps have run. A single
 * statement for all rows could reach its time limit, and all of its work would be undone.
 */
export async function runSteps(
  limit: number,
  step: (limit: number) => Promise<number>,
  most = Infinity,
): Promise<void> {
  for (let steps = 0; steps < most; steps++) if ((await step(limit)) < limit) return;
}
