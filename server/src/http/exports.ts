import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import pLimit from 'p-limit';
import { ProblemError } from '../core/problem.ts';

/**
 * How many exports may be open at once in this process. An export is open until its last byte is sent or the client
 * disconnects.
 */
export interface ExportLimits {
  /** Per key, dashboard account or player. */
  perCaller: number;
  perTenant: number;
  /** For all callers together. */
  inAll: number;
  /** How many exports read from the database at the same time. The others wait without a connection. */
  reading: number;
}

/** Streams large responses within limits of memory and connections. */
export interface Exports {
  /** Opens an export as a stream. Throws too_many_exports. */
  open(request: FastifyRequest, tenantId: string | null, pieces: AsyncGenerator<string>): Readable;
}

/** Creates the limits of one kind of exports. */
export function createExports({ perCaller, perTenant, inAll, reading }: ExportLimits): Exports {
  const open = new Map<string, number>();
  const inTurn = pLimit(reading);

  return {
    open(request, tenantId, pieces) {
      const limits: [holder: string, most: number, whose: string][] = [
        [callerOf(request), perCaller, 'of this caller'],
        [`tenant ${tenantId}`, perTenant, 'of this tenant'],
        ['all', inAll, 'of this server'],
      ];
      for (const [holder, most, whose] of limits)
        if ((open.get(holder) ?? 0) >= most)
          throw new ProblemError('too_many_exports', {
            detail: `At most ${most} ${most === 1 ? 'export' : 'exports'} ${whose} may run at once. Wait until one ends.`,
            headers: { 'retry-after': '5' },
          });
      for (const [holder] of limits) open.set(holder, (open.get(holder) ?? 0) + 1);
      return Readable.from(paced(pieces, inTurn)).once('close', () => {
        for (const [holder] of limits) {
          const left = open.get(holder)! - 1;
          if (left > 0) open.set(holder, left);
          else open.delete(holder);
        }
      });
    },
  };
}

async function* paced(
  pieces: AsyncGenerator<string>,
  inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>,
): AsyncGenerator<string> {
  try {
    for (;;) {
      const { done, value } = await inTurn(() => pieces.next());
      if (done) return;
      yield value;
    }
  } finally {
    await pieces.return(undefined);
  }
}

function callerOf({ keyCaller, accountCaller, playerCaller }: FastifyRequest): string {
  return keyCaller?.keyId ?? accountCaller?.accountId ?? playerCaller?.playerId ?? 'nobody';
}
