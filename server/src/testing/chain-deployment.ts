import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext } from 'node:test';
import { pino } from 'pino';
import type { Hex } from 'viem';
import { openDatabase } from '../database/database.ts';
import {
  enqueueBatch,
  openChain,
  startChainSender,
  type Chain,
  type ChainSettings,
} from '../features/wallet/chain/index.ts';
import { findTransactionStatus, readWriterStatus } from '../features/wallet/chain/queries.ts';
import { arrangeTenant, type TestTenant } from './arrange.ts';
import type { TestChain } from './chain.ts';
import { eventually } from './eventually.ts';
import { startTestApp } from './test-app.ts';

const POLL_MS = 20;

/** A deployment with a chain: a database, enqueued entries, and senders. */
export async function arrangeChainDeployment(chain: TestChain, more: Partial<ChainSettings> = {}) {
  const app = await startTestApp();
  const settings = { ...chain.settings, ...more };
  const database = openDatabase(app.databaseUrl, { poolSize: 8 });
  const opened = await openChain(database, settings);
  const log: string[] = [];
  const logger = pino({ level: 'info' }, { write: (line) => void log.push(line) });
  const senders = new Set<{ stop(): Promise<void> }>();
  /** The sender takes its lock in the database of `lockUrl`. */
  const startSender = (as: Chain = opened, lockUrl = app.databaseUrl) => {
    const sender = startChainSender(lockUrl, database, as, logger, { pollMs: POLL_MS });
    senders.add(sender);
    return sender;
  };
  after(async () => {
    for (const sender of senders) await sender.stop();
    await database.close();
  });

  /** The ledger entries of each tenant, as `index:hash`. */
  const ledger = new Map<string, string[]>();
  return {
    app,
    chain: opened,
    database,
    log,
    startSender,
    tenant: () => arrangeTenant(app),
    /** Enqueues the tenant's next entries, and returns the hash of their transaction. */
    async record({ tenantId }: TestTenant, count = 1, as: Chain = opened): Promise<Hex> {
      const entries = ledger.get(tenantId) ?? [];
      ledger.set(tenantId, entries);
      const first = entries.length + 1;
      const hashes = Array.from(
        { length: count },
        (): Hex => `0x${crypto.randomUUID().replaceAll('-', '').repeat(2)}`,
      );
      entries.push(...hashes.map((hash, index) => `${first + index}:${hash}`));
      return database
        .forTenant(tenantId)
        .transaction((transaction) =>
          enqueueBatch(transaction, as, { tenantId, first, hashes, newPlayers: [], newScores: [] }),
        );
    },
    transactionStatus: (hash: Hex) => findTransactionStatus(database, hash),
    writerStatus: () => readWriterStatus(database, opened.writer.id),
    /** Waits until all calls are confirmed, and asserts that the chain has exactly the recorded entries, in order. */
    async settled() {
      await eventually(async () => {
        const { waiting, mined } = await readWriterStatus(database, opened.writer.id);
        return waiting + mined === 0;
      });
      for (const [tenantId, entries] of ledger) assert.deepEqual(await chain.entries(tenantId), entries);
    },
  };
}

/** Creates a folder that is removed after the test. */
export async function temporaryFolder(context: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'guildhall-chain-'));
  context.after(() => rm(path, { recursive: true }));
  return path;
}

/** The number of transactions in the pool of the node. */
export async function countPooled({ node }: TestChain): Promise<number> {
  const { pending, queued } = await node.ask<Record<'pending' | 'queued', Hex>>('txpool_status');
  return Number(pending) + Number(queued);
}
