import { setTimeout as sleep } from 'node:timers/promises';
import type { BaseLogger } from 'pino';
import pg from 'pg';
import type { Database } from '../../../database/database.ts';
import { ChainUnavailableError, ChainRefusedError } from './chain-node.ts';
import { ChainStalledError } from './explain.ts';
import type { Chain } from './open-chain.ts';
import { countWaiting, setProblem } from './queries.ts';
import { createOutboxSender } from './outbox-sender.ts';

/** Any number that nothing else locks: of all processes one sends at a time. */
const SENDER_LOCK = 7_118_022;

const POLL_MS = 1000;
/** Without anything to send, the node is only asked for its fees. */
const IDLE_MS = 15_000;

export interface ChainSender {
  /** Lets the step that runs end. */
  stop(): Promise<void>;
}

/** Sends what waits in the outbox, and sees that it is confirmed, for as long as it holds the lock of the senders. */
export function startChainSender(
  databaseUrl: string,
  database: Database,
  chain: Chain,
  logger: Pick<BaseLogger, 'info' | 'warn' | 'error'>,
  { pollMs = POLL_MS } = {},
): ChainSender {
  const stopping = new AbortController();
  const { signal } = stopping;
  const pause = (ms: number): Promise<void> => sleep(ms, undefined, { signal }).catch(() => {});

  const running = (async () => {
    while (!signal.aborted) {
      const lock = new pg.Client({
        connectionString: databaseUrl,
        application_name: 'guildhall chain sender',
        keepAlive: true,
        connectionTimeoutMillis: 10_000,
      });
      const lost = new AbortController();
      lock.on('error', () => lost.abort());
      lock.on('end', () => lost.abort());
      try {
        await lock.connect();
        while (!signal.aborted && !(await hasLock(lock))) await pause(pollMs);
        await sendWhile(() => !signal.aborted && !lost.signal.aborted);
      } catch (error) {
        logger.warn({ err: error }, 'the sender to the chain broke off, and begins again');
      } finally {
        await lock.end().catch(() => {});
      }
      await pause(pollMs);
    }
  })();

  async function sendWhile(may: () => boolean): Promise<void> {
    const step = createOutboxSender({ database, ...chain, logger });
    let idleSince = 0;
    while (may()) {
      const isIdle = (await countWaiting(database, undefined)) === 0;
      if (isIdle && Date.now() - idleSince < IDLE_MS) {
        await pause(pollMs);
        continue;
      }
      idleSince = Date.now();
      const moved = await attempt(step);
      if (!moved) await pause(pollMs);
    }
  }

  async function attempt(step: () => Promise<boolean>): Promise<boolean> {
    try {
      const moved = await step();
      if ((await setProblem(database, chain.writer.id, null)) > 0)
        logger.info('the chain takes transactions again');
      return moved;
    } catch (error) {
      const problem = problemOf(error);
      if (problem === undefined) throw error;
      const isNews = (await setProblem(database, chain.writer.id, problem)) > 0;
      if (isNews) logger.error({ problem }, 'nothing is sent to the chain');
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

async function hasLock(lock: pg.Client): Promise<boolean> {
  const { rows } = await lock.query('SELECT pg_try_advisory_lock($1) AS got', [SENDER_LOCK]);
  return rows[0].got;
}

function problemOf(error: unknown): string | undefined {
  if (error instanceof ChainStalledError) return error.message;
  if (error instanceof ChainUnavailableError)
    return `The node of CHAIN_RPC_URL gives no answer (${error.message}). What waits is sent when it is back.`;
  if (error instanceof ChainRefusedError)
    return `The node of CHAIN_RPC_URL refuses to answer: ${error.message}`;
  return undefined;
}
