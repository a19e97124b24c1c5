import type { ChangeFeed } from '../../../database/change-feed.ts';
import type { Database } from '../../../database/database.ts';
import { SYSTEM } from '../../../core/author.ts';
import { countCache } from '../../../core/cache-counts.ts';
import { createCache } from '../../../database/cache.ts';
import {
  MAX_DEFINITIONS_FOR_AUTO_CREATE,
  pairKey,
  type Definition,
  type DefinitionPair,
  type DefinitionScope,
} from './definition.ts';
import { createDefinitionCache, type TenantDefinitions } from './definition-cache.ts';
import { countDefinitions, findDefinitions, findSettings } from './queries.ts';
import { addDefinitions } from './write-definitions.ts';

/** Finds the definitions of events, and creates them if the tenant has auto-create on. */
export interface DefinitionResolver {
  /**
   * Returns the definitions of a batch by ID and by {@link pairKey} of normalised pairs. The caller checks their state and
   * scope. The result may contain other definitions of the tenant. Runs at most one query, for definitions that are not cached.
   */
  resolve(
    tenantId: string,
    wanted: { ids: string[]; pairs: DefinitionPair[] },
  ): Promise<Readonly<TenantDefinitions>>;
  /**
   * Creates definitions for the normalised pairs that have none, until the tenant has
   * {@link MAX_DEFINITIONS_FOR_AUTO_CREATE} definitions. Returns the existing and the new definitions by {@link pairKey}.
   */
  autoCreate(
    tenantId: string,
    eventScope: DefinitionScope,
    pairs: DefinitionPair[],
  ): Promise<Map<string, Definition>>;
  /** Returns the auto-create setting of a tenant. A change usually applies at once, and at the latest after 5 minutes. */
  isAutoCreateOn(tenantId: string): Promise<boolean>;
  /** Invalidates the cached definitions of a tenant. Call it after a change. */
  invalidateDefinitions(tenantId: string): void;
  /** Invalidates the cached settings of a tenant. Call it after a change. */
  invalidateSettings(tenantId: string): void;
}

const MAX_CACHED_SETTINGS = 10_000;

/** The fields of an auto-created definition that an event does not specify. */
const defaults = { eventCategory: null, eventDescription: null, isActive: true };

/** Creates a resolver that caches definitions and settings until they change. It does not cache missing definitions. */
export function createDefinitionResolver(database: Database, changes: ChangeFeed): DefinitionResolver {
  const definitions = createDefinitionCache(changes);
  const counts = countCache('definitions');
  const settings = createCache<{ autoCreate: boolean }>({
    name: 'definition_settings',
    changes,
    tables: ['tenants'],
    max: MAX_CACHED_SETTINGS,
  });

  return {
    async resolve(tenantId, wanted) {
      const cached = definitions.get(tenantId);
      const ids = wanted.ids.filter((id) => !cached.byId.has(id));
      const pairs = wanted.pairs.filter((pair) => !cached.byPair.has(pairKey(pair)));
      const missing = ids.length + pairs.length;
      counts.misses += missing;
      counts.hits += wanted.ids.length + wanted.pairs.length - missing;
      if (missing > 0) {
        const found = await findDefinitions(database.forTenant(tenantId), tenantId, { ids, pairs });
        definitions.add(tenantId, cached, found);
      }
      return cached;
    },

    async autoCreate(tenantId, eventScope, pairs) {
      if (pairs.length === 0) return new Map();
      // Counts without the creation lock first, so that the batches of a tenant at its limit do not wait for each other.
      const count = await countDefinitions(database.forTenant(tenantId), tenantId, { includeInactive: true });
      // Another batch may have created them since they were looked up.
      if (count >= MAX_DEFINITIONS_FOR_AUTO_CREATE)
        return byPair(await findDefinitions(database.forTenant(tenantId), tenantId, { ids: [], pairs }));
      const missing = pairs.map((pair) => ({ ...pair, ...defaults, eventScope }));
      const { created, existing } = await database.forTenant(tenantId).transaction((transaction) =>
        addDefinitions(transaction, tenantId, missing, MAX_DEFINITIONS_FOR_AUTO_CREATE, {
          ...SYSTEM,
          source: 'auto_create',
        }),
      );
      if (created.length > 0) definitions.invalidate(tenantId);
      return byPair([...existing, ...created]);
    },

    async isAutoCreateOn(tenantId) {
      const found = await settings.get(tenantId, () => findSettings(database.forTenant(tenantId), tenantId));
      return found?.autoCreate ?? false;
    },

    invalidateDefinitions: (tenantId) => definitions.invalidate(tenantId),
    invalidateSettings: settings.invalidate,
  };
}

function byPair(definitions: Definition[]): Map<string, Definition> {
  return new Map(definitions.map((one) => [pairKey(one), one]));
}
