/** Limits how long a stopping worker runs, for example after a long outage. */
const STEPS_PER_RUN = 10;

/** Repeats a step that handles at most `limit` rows and returns their number, until one handles fewer. Ends after 10 steps. */
export async function runSteps(limit: number, step: () => Promise<number>): Promise<void> {
  for (let steps = 0; steps < STEPS_PER_RUN; steps++) if ((await step()) < limit) return;
}
