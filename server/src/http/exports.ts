import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { pauseIfBusy } from '../core/concurrency/event-loop.ts';
import { createFairSemaphore } from '../core/concurrency/fair-semaphore.ts';
import { ProblemError } from '../core/problem.ts';
import type { AcquireSlots } from '../processes/concurrency-slots.ts';
import { createConcurrencyLimit, type ConcurrencyLimits } from './traffic/concurrency.ts';

/** An export is open until its last byte is sent or the client disconnects. */
export interface ExportLimits extends ConcurrencyLimits {
  /** How many exports read at the same time, at most one of each tenant. The others wait without a connection. */
  reading: number;
}

/** Streams large responses within limits of memory, connections and time of the event loop. */
export interface Exports {
  /**
   * Opens an export as a stream, with its first piece. Rejects with too_many_exports, and if the first piece fails. `confirm` checks what
   * the credential of the route does not check again.
   */
  open(
    request: FastifyRequest,
    tenantId: string | null,
    pieces: AsyncGenerator<string>,
    confirm?: () => Promise<void>,
  ): Promise<Readable>;
}

/** Without a limit, a client that reads slowly would get new events for as long as the game sends them. */
const MOST_MS = 6 * 60 * 60_000;

/** How often the credential and the role of the caller are checked again. */
const CONFIRM_EVERY_MS = 60_000;

/**
 * Creates the limits of one kind of exports. `name` differs from the names of other kinds. An export is cut off after `mostMs`, and
 * when its caller loses the permission.
 */
export function createExports(
  acquireSlots: AcquireSlots,
  name: string,
  { reading, ...limits }: ExportLimits,
  { mostMs = MOST_MS, confirmEveryMs = CONFIRM_EVERY_MS } = {},
): Exports {
  const places = createConcurrencyLimit(
    acquireSlots,
    { name, code: 'too_many_exports', noun: 'export' },
    limits,
  );
  // The archive can take minutes for a piece. Other tenants do not wait for it.
  const readers = createFairSemaphore({ running: reading, runningPerOwner: 1 });
  return {
    async open(request, tenantId, pieces, confirm = async () => {}) {
      const leave = await places.enter(request, tenantId);
      const owner = tenantId ?? request.id;
      const stream = Readable.from(paced(pieces, (work) => readers.run(owner, work)));
      const limit = setTimeout(() => stream.destroy(new Error('The export took too long.')), mostMs).unref();
      const confirming = setInterval(() => {
        Promise.all([request.admitCaller(), confirm()]).catch((error: unknown) => {
          // Other errors say nothing about the permission: the database may be unavailable for a moment.
          if (error instanceof ProblemError && [401, 403, 404].includes(error.status)) stream.destroy(error);
        });
      }, confirmEveryMs).unref();
      stream.once('close', () => {
        clearTimeout(limit);
        clearInterval(confirming);
        leave();
      });
      // A failure before the first piece becomes an answer of its own.
      await once(stream, 'readable');
      return stream;
    },
  };
}

async function* paced(
  pieces: AsyncGenerator<string>,
  inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>,
): AsyncGenerator<string> {
  try {
    for (;;) {
      const { done, value } = await inTurn(async () => {
        const began = performance.now();
        const piece = await pieces.next();
        if (!piece.done) await pauseIfBusy(performance.now() - began);
        return piece;
      });
      if (done) return;
      yield value;
    }
  } finally {
    await pieces.return(undefined);
  }
}
