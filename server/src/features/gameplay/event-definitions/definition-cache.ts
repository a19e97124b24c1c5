import { LRUCache } from 'lru-cache';
import type { ChangeFeed } from '../../../database/change-feed.ts';
import { pairKey, type Definition } from './definition.ts';

/** The cached definitions of one tenant. */
export interface TenantDefinitions {
  byId: Map<string, Definition>;
  byPair: Map<string, Definition>;
}

interface DefinitionCache {
  /** Returns the cached definitions of a tenant. Call it before a query, and pass the result to `add` after the query. */
  get(tenantId: string): TenantDefinitions;
  /** Adds definitions to `cached`. They stay in the cache unless the tenant was invalidated since `get`. */
  add(tenantId: string, cached: TenantDefinitions, found: Definition[]): void;
  /** Invalidates a tenant at once, before the change feed reports the change that this process has made. */
  invalidate(tenantId: string): void;
}

/** The limit for all tenants together. So many definitions take about 40 MB. */
const MAX_CACHED_DEFINITIONS = 100_000;

/** Limits the age of an entry in case the change feed misses a change. */
const MAX_AGE_MS = 5 * 60_000;

/**
 * Creates a cache of definitions by tenant. A change of a definition invalidates the tenant: the cache drops its
 * {@link TenantDefinitions} object. A query that began before the change adds its result to the dropped object, so that a
 * stale definition never enters the cache.
 */
export function createDefinitionCache(
  changes: ChangeFeed,
  maxDefinitions = MAX_CACHED_DEFINITIONS,
): DefinitionCache {
  const tenants = new LRUCache<string, TenantDefinitions>({ maxSize: maxDefinitions, ttl: MAX_AGE_MS });
  changes.on('event_definitions', (tenantId) => {
    if (tenantId) tenants.delete(tenantId);
    else tenants.clear();
  });

  return {
    get(tenantId) {
      let cached = tenants.get(tenantId);
      if (!cached) {
        cached = { byId: new Map(), byPair: new Map() };
        tenants.set(tenantId, cached, { size: 1 });
      }
      return cached;
    },
    add(tenantId, cached, found) {
      for (const definition of found) {
        cached.byId.set(definition.id, definition);
        cached.byPair.set(pairKey(definition), definition);
      }
      if (tenants.peek(tenantId) !== cached) return;
      // Re-inserts the tenant with its new size, so that the cache evicts the least recently used tenants. A tenant larger
      // than the whole cache is dropped. The entry keeps its age, because the oldest definition limits it.
      const ttl = tenants.getRemainingTTL(tenantId);
      tenants.delete(tenantId);
      if (ttl > 0) tenants.set(tenantId, cached, { size: 1 + cached.byId.size, ttl });
    },
    invalidate: (tenantId) => void tenants.delete(tenantId),
  };
}
