/**
 * Returns a function that calls `work`, one call after the other. All calls that arrive during a running one share the next one. So at
 * most one waits, however slow `work` is. `work` must not reject.
 */
export function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let last = Promise.resolve();
  let isWaiting = false;
  return () => {
    if (!isWaiting) {
      isWaiting = true;
      last = last.then(() => {
        isWaiting = false;
        return work();
      });
    }
    return last;
  };
}
