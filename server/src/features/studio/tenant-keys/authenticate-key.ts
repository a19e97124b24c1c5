import type { ChangeFeed } from '../../../database/change-feed.ts';
import type { Database } from '../../../database/database.ts';
import { createCache } from '../../../database/cache.ts';
import type { KeyCaller, KeyKind } from '../../../core/callers.ts';
import { createFlusher } from '../../../core/concurrency/flusher.ts';
import type { CreateBudget } from '../../../security/attempt-budget.ts';
import { isOpaqueToken } from '../../../security/opaque-tokens.ts';
import type { Vault } from '../../../security/vault.ts';
import { createKeyLookup } from './key-lookup.ts';
import { updateLastUsed, type FoundKey } from './queries.ts';

const MAX_CACHED_KEYS = 10_000;

/** `lastUsedAt` is written in a batch, so requests do not wait for it. It shows up to 30 seconds later. */
const LAST_USED_INTERVAL_MS = 30_000;

export interface KeyAuthenticator {
  /**
   * Returns the caller of a key. Returns undefined if the key is unknown, revoked, expired, of the other kind, or of a disabled
   * tenant. Throws too_many_attempts if the network has sent too many unknown keys and this process has never seen the key.
   */
  authenticate(kind: KeyKind, key: string, address: string | null): Promise<KeyCaller | undefined>;
  /**
   * Invalidates the keys of a tenant, or those that a workspace owns or pays for. A process calls this after it changes a key, a
   * tenant or a plan.
   */
  invalidate(tenantOrWorkspaceId: string): void;
  close(): Promise<void>;
}

/**
 * Finds keys by their fingerprint, so the response time reveals nothing about stored keys. Found keys are cached until a change
 * of the key, its tenant, its workspace or its payer invalidates them.
 */
export function openKeyAuthenticator(
  database: Database,
  vault: Vault,
  changes: ChangeFeed,
  createBudget: CreateBudget,
): KeyAuthenticator {
  const lookUp = createKeyLookup(database, createBudget);
  const cache = createCache<FoundKey>({
    name: 'keys',
    changes,
    tables: ['tenant_keys', 'tenants', 'workspaces'],
    max: MAX_CACHED_KEYS,
    idsOf: ({ tenantId, workspaceId, payerId }) => [tenantId, workspaceId, payerId],
  });

  /** When each key was used last, in milliseconds, if that is not written yet. */
  const usedAt = new Map<string, number>();
  const writeLastUsed = async (): Promise<void> => {
    const uses = new Map(usedAt);
    usedAt.clear();
    // The next use of a key writes a newer time.
    if (uses.size > 0) await updateLastUsed(database, uses).catch(() => {});
  };
  const { close } = createFlusher(LAST_USED_INTERVAL_MS, writeLastUsed);

  return {
    async authenticate(kind, key, address) {
      if (!isOpaqueToken(kind, key)) return undefined;
      const fingerprint = vault.fingerprint(key);
      const found = await cache.get(kind + fingerprint.toString('base64'), () =>
        lookUp(kind, fingerprint, address),
      );
      if (!found) return undefined;
      if (found.expiresAtMs !== null && found.expiresAtMs <= Date.now()) return undefined;
      usedAt.set(found.keyId, Date.now());
      return found;
    },
    invalidate: cache.invalidate,
    close,
  };
}
