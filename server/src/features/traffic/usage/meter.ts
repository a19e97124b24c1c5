import { createFlusher } from '../../../core/concurrency/flusher.ts';
import { isAnswered, isRolledBack } from '../../../database/errors.ts';
import type { Meter, Traffic } from '../../../http/traffic/metering.ts';
import type { KeyCaller } from '../../../core/callers.ts';
import { quotaExceeded, type Quota } from '../../../core/quota.ts';
import type { BaseServices } from '../../base-services.ts';
import { recordUsage, type CollectedUsage } from './queries.ts';
import { createQuotaCache } from './quota-cache.ts';

/** `isKept`: the usage, or a part of it, is written later. */
interface Failure {
  error: Error;
  isKept: boolean;
}

/** How often the meter writes reads, and the bytes of all requests. */
const FLUSH_EVERY_MS = 500;

/**
 * Keys that one statement writes. It locks each payer, and all connections of PostgreSQL share room for 64 locks per connection. A statement
 * that needs too many is refused.
 */
const KEYS_PER_STATEMENT = 1_000;

interface UsageMeter extends Meter {
  /**
   * The quota of a workspace with a hard stop, at most one second old. Undefined for a workspace without a hard stop. A used-up
   * quota is a final refusal. A quota with units left admits nothing: the transaction that charges decides.
   */
  quota(workspaceId: string): Promise<Quota | undefined>;
  /** Invalidates the cached quota of a workspace. For the process that changes its plan. */
  invalidate(workspaceId: string): void;
  /** Writes the remaining usage. */
  close(): Promise<void>;
}

/** Collects usage that no transaction charges: reads, and bytes. */
export function openUsageMeter({
  database,
  changes,
  logger,
}: Pick<BaseServices, 'database' | 'changes' | 'logger'>): UsageMeter {
  let collected = new Map<string, CollectedUsage>();
  const collect = (usage: CollectedUsage): void => {
    const name = usage.workspaceId + usage.keyId;
    const known = collected.get(name);
    if (!known) return void collected.set(name, { ...usage });
    known.units += usage.units;
    known.bytesIn += usage.bytesIn;
    known.bytesOut += usage.bytesOut;
  };

  /** Returns the failure if the usage was not recorded. It is kept if PostgreSQL certainly recorded nothing. */
  const record = async (usage: CollectedUsage[]): Promise<Failure | undefined> => {
    try {
      await recordUsage(database, usage);
      return undefined;
    } catch (error) {
      const isKept = isRolledBack(error);
      if (isKept) usage.forEach(collect);
      // After a broken connection the COMMIT may have succeeded. A read that is lost is better than one that is billed twice.
      else
        logger.warn(
          {
            reason: (error as Error).message,
            keys: usage.length,
            units: usage.reduce((sum, { units }) => sum + units, 0),
          },
          'usage may not be recorded, because the connection broke while it was written',
        );
      return { error: error as Error, isKept };
    }
  };

  let isFailing = false;
  const write = async (): Promise<void> => {
    if (collected.size === 0) return;
    const usage = [...collected.values()];
    collected = new Map();
    let failure: Failure | undefined;
    for (let start = 0; start < usage.length; start += KEYS_PER_STATEMENT) {
      const next = usage.slice(start, start + KEYS_PER_STATEMENT);
      // Without a connection, each further statement would wait for its timeout.
      if (failure && !isAnswered(failure.error)) {
        next.forEach(collect);
        failure.isKept = true;
      } else failure = (await record(next)) ?? failure;
    }
    if (failure?.isKept && !isFailing)
      logger.warn({ reason: failure.error.message }, 'usage cannot be recorded, will retry');
    if (!failure && isFailing) logger.warn({ keys: usage.length }, 'usage is recorded again');
    isFailing = failure?.isKept ?? false;
  };
  const { flush, close } = createFlusher(FLUSH_EVERY_MS, write);

  const quotas = createQuotaCache({ database, changes }, flush);

  return {
    quota: quotas.get,
    invalidate: quotas.invalidate,
    async admitRead({ payerId, payerHasHardStop }: KeyCaller) {
      if (!payerHasHardStop) return;
      const cached = await quotas.get(payerId);
      if (!cached) return;
      if (cached.used >= cached.limit) throw quotaExceeded(cached);
      // Counts this read in the cached quota, until the next quota from the database includes it.
      cached.used++;
    },
    count({ payerId, tenantId, keyId }: KeyCaller, traffic: Traffic) {
      collect({ workspaceId: payerId, tenantId, keyId, ...traffic });
    },
    close,
  };
}
