import type { ChangeFeed } from '../../../database/change-feed.ts';
import type { Database } from '../../../database/database.ts';
import { createCache } from '../../../database/cache.ts';
import { MOST_FOR_AUTO_CREATE, pairKey, type Definition, type DefinitionPair } from './definition.ts';
import { cacheDefinitions, type TenantDefinitions } from './known-definitions.ts';
import { countDefinitions, findDefinitions, findSettings } from './queries.ts';
import { addDefinitions } from './write-definitions.ts';

/** What an event is about; a definition's scope is one of these, or both. */
export type EventKind = 'match' | 'player';

/** Finds the definitions that events name, and creates them where a tenant wishes so. */
export interface DefinitionResolver {
  /**
   * The definitions of a batch, by id and by {@link pairKey} of normalised pairs: inactive ones and ones of the other scope
   * are among them, for the caller to judge, and so may be others of the tenant. One query at most, for what is not known.
   */
  resolve(
    tenantId: string,
    wanted: { ids: string[]; pairs: DefinitionPair[] },
  ): Promise<Readonly<TenantDefinitions>>;
  /**
   * Creates those of the normalised pairs that do not exist, as long as the tenant has fewer than {@link MOST_FOR_AUTO_CREATE}
   * definitions, and returns those that exist then by {@link pairKey}.
   */
  autoCreate(tenantId: string, kind: EventKind, pairs: DefinitionPair[]): Promise<Map<string, Definition>>;
  /** Whether the tenant wishes its events to create definitions. Known within 5 minutes of a change, mostly at once. */
  isAutoCreateOn(tenantId: string): Promise<boolean>;
  /** Forgets a tenant's definitions: for those who change one. */
  invalidateDefinitions(tenantId: string): void;
  /** Forgets the tenants' settings: for those who change one. */
  invalidateSettings(): void;
}

const REMEMBERED_SETTINGS = 10_000;

/** What an event says nothing about. */
const plain = { eventCategory: null, eventDescription: null, isActive: true };

/** Remembers definitions and settings until they change; what does not exist is not remembered. */
export function createDefinitionResolver(database: Database, changes: ChangeFeed): DefinitionResolver {
  const definitions = cacheDefinitions(changes);
  const settings = createCache<{ autoCreate: boolean }>(changes, ['tenants'], REMEMBERED_SETTINGS);

  return {
    async resolve(tenantId, wanted) {
      const known = definitions.of(tenantId);
      const ids = wanted.ids.filter((id) => !known.byId.has(id));
      const pairs = wanted.pairs.filter(
        ({ eventKey, eventValue }) => !known.byPair.has(pairKey(eventKey, eventValue)),
      );
      if (ids.length > 0 || pairs.length > 0) {
        const read = await findDefinitions(database.forTenant(tenantId), tenantId, { ids, pairs });
        definitions.add(tenantId, known, read);
      }
      return known;
    },

    async autoCreate(tenantId, kind, pairs) {
      // Without the lock under which definitions are created: a tenant at its limit must not make its batches wait for each other.
      const count = await countDefinitions(database.forTenant(tenantId), tenantId, true);
      if (count >= MOST_FOR_AUTO_CREATE) return new Map();
      const missing = pairs.map((pair) => ({ ...pair, ...plain, eventScope: kind }));
      const { created, existing } = await database.forTenant(tenantId).transaction((transaction) =>
        addDefinitions(transaction, tenantId, missing, MOST_FOR_AUTO_CREATE, {
          actor: { kind: 'system', id: null },
          source: 'auto_create',
        }),
      );
      if (created.length > 0) definitions.invalidate(tenantId);
      return new Map([...existing, ...created].map((one) => [pairKey(one.eventKey, one.eventValue), one]));
    },

    async isAutoCreateOn(tenantId) {
      const found = await settings.get(tenantId, () => findSettings(database.forTenant(tenantId), tenantId));
      return found?.autoCreate ?? false;
    },

    invalidateDefinitions: (tenantId) => definitions.invalidate(tenantId),
    invalidateSettings: () => settings.invalidate(),
  };
}
