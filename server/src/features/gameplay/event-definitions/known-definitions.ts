import { LRUCache } from 'lru-cache';
import type { ChangeFeed } from '../../../database/change-feed.ts';
import { pairKey, type Definition } from './definition.ts';

/** What is known of one tenant's definitions. */
export interface TenantDefinitions {
  byId: Map<string, Definition>;
  byPair: Map<string, Definition>;
}

export interface KnownDefinitions {
  /** What is known of a tenant by now. To be taken before a reading, and handed back with what was read. */
  of(tenantId: string): TenantDefinitions;
  /** Adds what was read, and remembers it unless the tenant was forgotten since `of`. */
  add(tenantId: string, known: TenantDefinitions, read: Definition[]): void;
  /** Forgets a tenant at once: for the process that changes a definition, which need not wait to be told of it. */
  invalidate(tenantId: string): void;
}

/** Over all tenants; some 40 MB of them. */
const REMEMBERED_DEFINITIONS = 100_000;

/** A bound for the case that no change is ever told of. */
const LONGEST_MS = 5 * 60_000;

/**
 * Remembers definitions by tenant, and forgets those of a tenant when one of them changes. What a tenant's readings fill is
 * one object that a change discards: so a value whose reading began before the change, and ended after it, goes into the
 * discarded one and is never found again.
 */
export function cacheDefinitions(
  changes: ChangeFeed,
  maxDefinitions = REMEMBERED_DEFINITIONS,
): KnownDefinitions {
  const tenants = new LRUCache<string, TenantDefinitions>({ maxSize: maxDefinitions, ttl: LONGEST_MS });
  changes.on('event_definitions', (tenantId) => {
    if (tenantId) tenants.delete(tenantId);
    else tenants.clear();
  });

  return {
    of(tenantId) {
      let known = tenants.get(tenantId);
      if (!known) {
        known = { byId: new Map(), byPair: new Map() };
        tenants.set(tenantId, known, { size: 1 });
      }
      return known;
    },
    add(tenantId, known, read) {
      for (const definition of read) {
        known.byId.set(definition.id, definition);
        known.byPair.set(pairKey(definition.eventKey, definition.eventValue), definition);
      }
      if (tenants.peek(tenantId) !== known) return;
      // Taken out and put back with its new size, so that the least used tenants make room; a tenant larger than all of the
      // cache is dropped and starts anew. It keeps its age: the bound in time is that of its oldest value.
      const ttl = tenants.getRemainingTTL(tenantId);
      tenants.delete(tenantId);
      if (ttl > 0) tenants.set(tenantId, known, { size: 1 + known.byId.size, ttl });
    },
    invalidate: (tenantId) => void tenants.delete(tenantId),
  };
}
