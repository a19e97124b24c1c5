import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Log } from '../../../core/log.ts';
import { tryLock } from '../../../database/advisory-locks.ts';
import type { Database } from '../../../database/database.ts';
import { createClient } from '../../../database/client.ts';
import { ChainUnavailableError, ChainRefusedError } from './chain-node.ts';
import { ChainStalledError } from './contract-faults.ts';
import type { Chain } from './open-chain.ts';
import { countOpen } from './queries.ts';
import { setProblem } from './writer-queries.ts';
import { createOutboxSender } from './outbox-sender.ts';

/** If the connection of the lock is silent for so long, for example after a failover, another process may hold the lock. */
const LOCK_TIMEOUT_MS = 10_000;

const POLL_MS = 1000;
/** The pause between steps while no call waits. Such a step only updates the fees. */
const IDLE_MS = 15_000;

interface ChainSender {
  /** Stops after the current step. */
  stop(): Promise<void>;
}

/** Sends the waiting calls of the outbox and follows them until they are confirmed, while it holds the sender lock. */
export function startChainSender(
  databaseUrl: string,
  database: Database,
  chain: Chain,
  logger: Log<'info' | 'warn' | 'error'>,
  { pollMs = POLL_MS } = {},
): ChainSender {
  const stopping = new AbortController();
  const { signal } = stopping;
  const pause = (ms: number): Promise<void> => sleep(ms, undefined, { signal }).catch(() => {});

  const running = run();

  async function run(): Promise<void> {
    while (!signal.aborted) {
      const lock = createClient(databaseUrl, {
        application_name: 'guildhall chain sender',
        query_timeout: LOCK_TIMEOUT_MS,
      });
      try {
        await lock.connect();
        while (!signal.aborted && !(await tryLock(lock, 'chainSender'))) await pause(pollMs);
        await send(lock);
      } catch (error) {
        logger.warn({ err: error }, 'the chain sender failed and restarts');
      } finally {
        await lock.end().catch(() => {});
      }
      await pause(pollMs);
    }
  }

  /** Sends until it is stopped. Throws if the connection that holds the lock is lost. */
  async function send(lock: pg.Client): Promise<void> {
    const step = createOutboxSender({ database, ...chain, logger });
    let idleSince = -Infinity;
    while (!signal.aborted) {
      await lock.query('SELECT 1');
      const isIdle = (await countOpen(database)) === 0;
      if (isIdle && performance.now() - idleSince < IDLE_MS) {
        await pause(pollMs);
        continue;
      }
      idleSince = performance.now();
      const isNextDue = await attempt(step);
      if (!isNextDue) await pause(pollMs);
    }
  }

  async function attempt(step: () => Promise<boolean>): Promise<boolean> {
    try {
      const isNextDue = await step();
      if (await setProblem(database, chain.writer.id, null))
        logger.info({}, 'the chain accepts transactions again');
      return isNextDue;
    } catch (error) {
      const problem = problemOf(error);
      if (problem === undefined) throw error;
      const isNew = await setProblem(database, chain.writer.id, problem);
      if (isNew) logger.error({ problem }, 'no transaction is sent to the chain');
      return false;
    }
  }

  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

function problemOf(error: unknown): string | undefined {
  if (error instanceof ChainStalledError) return error.message;
  if (error instanceof ChainUnavailableError)
    return `The node of CHAIN_RPC_URL does not respond (${error.message}). Waiting calls are sent when it responds again.`;
  if (error instanceof ChainRefusedError)
    return `The node of CHAIN_RPC_URL returns an error: ${error.message}`;
  return undefined;
}
