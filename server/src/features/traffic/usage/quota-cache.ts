import { countCache } from '../../../core/cache-counts.ts';
import { createLruCache } from '../../../core/lru-cache.ts';
import type { Quota } from '../../../core/quota.ts';
import type { BaseServices } from '../../base-services.ts';
import { findQuota } from './queries.ts';

/** The lifetime of a cached quota. Within it, a hard stop may admit one second of reads too many. */
const QUOTA_LIFETIME_MS = 1000;
const MAX_CACHED_QUOTAS = 10_000;

interface QuotaCache {
  /** The quota of a workspace with a hard stop. Undefined for a workspace without one. */
  get(workspaceId: string): Promise<Quota | undefined>;
  invalidate(workspaceId: string): void;
}

/** Caches quotas for one second. `flush` writes the usage that this process has collected, before a quota is read. */
export function createQuotaCache(
  { database, changes }: Pick<BaseServices, 'database' | 'changes'>,
  flush: () => Promise<void>,
): QuotaCache {
  const counts = countCache('quotas');
  const quotas = createLruCache<string, Promise<Quota | undefined>>(MAX_CACHED_QUOTAS, {
    ttl: QUOTA_LIFETIME_MS,
  });
  const read = async (workspaceId: string): Promise<Quota | undefined> => {
    await flush();
    const found = await findQuota(database.forWorkspace(workspaceId), workspaceId);
    return found?.hardStop && found.limit !== null ? { ...found, limit: found.limit } : undefined;
  };
  const invalidate = (workspaceId: string): void => void quotas.delete(workspaceId);
  changes.on('workspaces', (id) => (id ? invalidate(id) : quotas.clear()));

  return {
    get(workspaceId) {
      let quota = quotas.get(workspaceId);
      if (quota) counts.hits++;
      else {
        counts.misses++;
        quota = read(workspaceId);
        quota.catch(() => invalidate(workspaceId));
        quotas.set(workspaceId, quota);
      }
      return quota;
    },
    invalidate,
  };
}
