import { Problem } from '../../shared/problem.ts';

/** Lets one costly thing at a time through for each player, and so many for all if there is a limit. */
export interface Gate {
  /** Enters; the result is called once, to leave. Throws busy. */
  enter(playerId: string): () => void;
}

/** A gate of this process. `what` is what a caller who does not get through reads. */
export function openGate(what: string, most = Infinity): Gate {
  const inside = new Set<string>();
  return {
    enter(playerId) {
      if (inside.has(playerId) || inside.size >= most)
        throw new Problem('busy', { detail: what, headers: { 'retry-after': '5' } });
      inside.add(playerId);
      return () => void inside.delete(playerId);
    },
  };
}
