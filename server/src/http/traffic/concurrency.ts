import type { FastifyRequest } from 'fastify';
import { ProblemError, type ProblemCode } from '../../core/problem.ts';

/** How many operations of one kind may run at once in this process. */
export interface ConcurrencyLimits {
  /** Per key, dashboard account or player. */
  perCaller: number;
  perTenant: number;
  /** For all callers together. */
  inAll: number;
}

/** Limits how many expensive operations of one kind run at once. */
export interface ConcurrencyLimit {
  /** Counts an operation until the returned function is called. Throws the problem of the kind if too many run. */
  enter(request: FastifyRequest, tenantId: string | null): () => void;
}

/** Creates the limit of one kind of operations. `noun` names it in the singular. */
export function createConcurrencyLimit(
  { code, noun }: { code: ProblemCode; noun: string },
  { perCaller, perTenant, inAll }: ConcurrencyLimits,
): ConcurrencyLimit {
  const running = new Map<string, number>();
  return {
    enter(request, tenantId) {
      const limits: [holder: string, most: number, whose: string][] = [
        [callerOf(request), perCaller, 'of this caller'],
        [`tenant ${tenantId}`, perTenant, 'of this tenant'],
        ['all', inAll, 'of this server'],
      ];
      for (const [holder, most, whose] of limits)
        if ((running.get(holder) ?? 0) >= most)
          throw new ProblemError(code, {
            detail: `At most ${most} ${most === 1 ? noun : `${noun}s`} ${whose} may run at once. Wait until one ends.`,
            headers: { 'retry-after': '5' },
          });
      for (const [holder] of limits) running.set(holder, (running.get(holder) ?? 0) + 1);
      return () => {
        for (const [holder] of limits) {
          const left = running.get(holder)! - 1;
          if (left > 0) running.set(holder, left);
          else running.delete(holder);
        }
      };
    },
  };
}

function callerOf({ keyCaller, accountCaller, playerCaller }: FastifyRequest): string {
  return keyCaller?.keyId ?? accountCaller?.accountId ?? playerCaller?.playerId ?? 'nobody';
}
