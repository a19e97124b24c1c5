/** After this many failures, the cause is probably common to all steps. */
const MAX_FAILURES = 10;

/**
 * Runs steps one at a time. If a step fails, the next ones still run. Then throws an error that has the first failure as its cause.
 * Ends at the tenth failure.
 */
export async function runEach(steps: Iterable<() => Promise<unknown>>): Promise<void> {
  const failures: Error[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      failures.push(error as Error);
      if (failures.length === MAX_FAILURES) break;
    }
  }
  const [first] = failures;
  if (first)
    throw new Error(`${failures.length} of the steps failed. The first: ${first.message}`, { cause: first });
}
