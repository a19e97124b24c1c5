import { ProblemError } from './problem.ts';

/** The used and the allowed units of a plan with a hard stop in a billing period. Times are ISO 8601. */
export interface Quota {
  limit: number;
  used: number;
  periodStart: string;
  periodEnd: string;
}

/** Creates the error for a request that would exceed a hard stop. */
export function quotaExceeded({ limit, used, periodStart, periodEnd }: Quota): ProblemError {
  const seconds = Math.max(1, Math.ceil((Date.parse(periodEnd) - Date.now()) / 1000));
  return new ProblemError('quota_exceeded', {
    detail:
      `The plan allows ${limit} units per month, and ${used} are used. ` +
      `${used < limit ? 'Send a smaller batch, wait' : 'Wait'} for the next period, or ask for a larger plan.`,
    retryAfter: seconds,
    members: { quota: { limit, used, periodStart, periodEnd } },
  });
}
