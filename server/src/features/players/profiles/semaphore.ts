import { ProblemError } from '../../../core/problem.ts';

/** Lets one costly thing at a time through for each player, and so many for all if there is a limit. */
export interface Semaphore {
  /** Enters; the result is called once, to leave. Throws busy. */
  enter(playerId: string): () => void;
}

/** A gate of this process. `what` is what a caller who does not get through reads. */
export function createSemaphore(what: string, most = Infinity): Semaphore {
  const inside = new Set<string>();
  return {
    enter(playerId) {
      if (inside.has(playerId) || inside.size >= most)
        throw new ProblemError('busy', { detail: what, headers: { 'retry-after': '5' } });
      inside.add(playerId);
      return () => void inside.delete(playerId);
    },
  };
}
