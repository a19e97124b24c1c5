import { isAboutSession, type GuildhallError } from '../core/errors.ts';
import { pauseAfter, withJitter, type BackOff } from '../core/waiting.ts';

/** Why the queue is not sending. */
export type WaitingFor = 'session' | 'network' | 'server' | 'rate_limit' | 'quota';

export interface Pause {
  reason: WaitingFor;
  milliseconds: number;
}

/** Decides when a batch is sent again, and how many events it may have. It has no timers. */
export interface RetryPolicy {
  /** The most events of the next batch, if the plan has fewer units left, or if the last batch took too long. */
  readonly mostEvents: number;
  succeeded(): void;
  /** The pause after a failure of a batch, or undefined if a smaller batch may be sent now. */
  failed(error: GuildhallError, sent: number, waiting: number): Pause | undefined;
}

/** `Retry-After` of a full plan is the end of its period, but an operator may enlarge the plan before. */
const QUOTA_PAUSE_MS = 60_000;

export function createRetryPolicy(backOff: BackOff): RetryPolicy {
  let failures = 0;
  let mostEvents = Infinity;

  return {
    get mostEvents() {
      return mostEvents;
    },
    succeeded: () => {
      failures = 0;
      mostEvents = Infinity;
    },
    failed: (error, sent, waiting) => {
      const milliseconds = pauseAfter(error, failures++, backOff);
      if (error.code === 'quota_exceeded') {
        const left = unitsLeftOf(error);
        const isWorthATry = left > 0 && left < Math.min(mostEvents, waiting);
        mostEvents = isWorthATry ? left : Infinity;
        return isWorthATry ? undefined : { reason: 'quota', milliseconds: withJitter(QUOTA_PAUSE_MS) };
      }
      // On a slow network, a smaller batch may arrive in time.
      if (error.code === 'timeout') mostEvents = Math.max(1, Math.floor(sent / 2));
      if (error.status === 401 && isAboutSession(error))
        return { reason: 'session', milliseconds: backOff.longestMs };
      if (error.status === 429) return { reason: 'rate_limit', milliseconds };
      return { reason: error.status === 0 ? 'network' : 'server', milliseconds };
    },
  };
}

function unitsLeftOf({ problem }: GuildhallError): number {
  const { limit = 0, used = 0 } = problem.quota ?? {};
  return limit - used;
}
