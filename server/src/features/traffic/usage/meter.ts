import { LRUCache } from 'lru-cache';
import type { ChangeFeed } from '../../../database/change-feed.ts';
import { isRolledBack, type Database } from '../../../database/database.ts';
import type { Meter, Traffic } from '../../../http/traffic/metering.ts';
import type { KeyCaller } from '../../../core/callers.ts';
import { quotaExceeded, type Quota } from '../../../core/quota.ts';
import { findQuota, recordUsage, type GatheredUsage } from './queries.ts';

/** Reads, and the bytes of all requests, are written down this often. */
const FLUSH_EVERY_MS = 500;

/** How old a view of what is used may be: what it lets in by mistake is a second's reads at most. */
const VIEW_LIVES_MS = 1000;
const VIEWS = 10_000;

export interface UsageMeter extends Meter {
  /**
   * How a workspace with a hard stop stands, as of a second ago at most; undefined for one without. What it says is used is
   * used: it can refuse for good, and it cannot admit, which the transaction that charges does.
   */
  quota(workspaceId: string): Promise<Quota | undefined>;
  /** For the process that changes a plan: quotas are looked up again. */
  invalidate(): void;
  /** Writes down what is left. */
  close(): Promise<void>;
}

/** Gathers what requests on keys cost beside what their own transactions charge. */
export function openUsageMeter(database: Database, changes: ChangeFeed): UsageMeter {
  let gathered = new Map<string, GatheredUsage>();
  const gather = (usage: GatheredUsage): void => {
    const name = usage.workspaceId + usage.keyId;
    const known = gathered.get(name);
    if (!known) return void gathered.set(name, { ...usage });
    known.units += usage.units;
    known.bytesIn += usage.bytesIn;
    known.bytesOut += usage.bytesOut;
  };

  const write = async (): Promise<void> => {
    if (gathered.size === 0) return;
    const usage = [...gathered.values()];
    gathered = new Map();
    try {
      await recordUsage(database, usage);
    } catch (error) {
      // Of a connection that broke nobody knows whether it had committed: better a read for nothing than one billed twice.
      if (isRolledBack(error)) usage.forEach(gather);
    }
  };
  let writing = Promise.resolve();
  const flush = (): Promise<void> => (writing = writing.then(write));
  const timer = setInterval(() => void flush(), FLUSH_EVERY_MS).unref();

  const views = new LRUCache<string, { quota: Promise<Quota | undefined> }>({
    max: VIEWS,
    ttl: VIEW_LIVES_MS,
  });
  const look = async (workspaceId: string): Promise<Quota | undefined> => {
    await flush();
    const found = await findQuota(database.forWorkspace(workspaceId), workspaceId);
    return found?.hardStop && found.limit !== null ? { ...found, limit: found.limit } : undefined;
  };
  const quota = (workspaceId: string): Promise<Quota | undefined> => {
    let view = views.get(workspaceId);
    if (!view) {
      view = { quota: look(workspaceId) };
      view.quota.catch(() => views.delete(workspaceId));
      views.set(workspaceId, view);
    }
    return view.quota;
  };
  const invalidate = (): void => views.clear();
  changes.on('workspaces', invalidate);

  return {
    quota,
    invalidate,
    async admitRead({ payerId, payerHasHardStop }: KeyCaller) {
      if (!payerHasHardStop) return;
      const view = await quota(payerId);
      if (!view) return;
      if (view.used >= view.limit) throw quotaExceeded(view);
      // Counted at once in this process's view, until the next one holds it.
      view.used++;
    },
    count({ payerId, tenantId, keyId }: KeyCaller, traffic: Traffic) {
      gather({ workspaceId: payerId, tenantId, keyId, ...traffic });
    },
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}
