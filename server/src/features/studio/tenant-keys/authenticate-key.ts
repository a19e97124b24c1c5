import type { ChangeFeed } from '../../../database/change-feed.ts';
import type { Database } from '../../../database/database.ts';
import { createCache } from '../../../database/cache.ts';
import type { KeyCaller } from '../../../core/callers.ts';
import type { CreateBudget } from '../../../security/attempt-budget.ts';
import { isOpaqueToken } from '../../../security/opaque-tokens.ts';
import type { Vault } from '../../../security/vault.ts';
import { createKeyLookUp } from './look-up-key.ts';
import { touchKeys, type FoundKey } from './queries.ts';

const REMEMBERED_KEYS = 10_000;

/** `lastUsedAt` is written this often at most: exact to half a minute, at no cost to requests. */
const TOUCH_EVERY_MS = 30_000;

export interface KeyAuthenticator {
  /**
   * The key's caller; undefined for one that is unknown, revoked, expired, of the other kind, or of a disabled tenant. Throws
   * too_many_attempts for a key that this process has not met, from a network that has asked for too many unknown ones.
   */
  authenticate(kind: 'game' | 'api', key: string, address: string | null): Promise<KeyCaller | undefined>;
  /** For the process that changes keys or disables tenants: they are looked up again. */
  invalidate(): void;
  close(): Promise<void>;
}

/**
 * Looks keys up by their fingerprint, so that the time it takes tells nothing of any stored key, and remembers them
 * until one changes.
 */
export function openKeyAuthenticator(
  database: Database,
  vault: Vault,
  changes: ChangeFeed,
  createBudget: CreateBudget,
): KeyAuthenticator {
  const lookUp = createKeyLookUp(database, createBudget);
  const known = createCache<FoundKey>(changes, ['tenant_keys', 'tenants', 'workspaces'], REMEMBERED_KEYS);

  const used = new Set<string>();
  const touch = async (): Promise<void> => {
    const keyIds = [...used];
    used.clear();
    if (keyIds.length > 0) await touchKeys(database, keyIds).catch(() => {});
  };
  const timer = setInterval(() => void touch(), TOUCH_EVERY_MS).unref();

  return {
    async authenticate(kind, key, address) {
      if (!isOpaqueToken(kind, key)) return undefined;
      const fingerprint = vault.fingerprint(key);
      const found = await known.get(kind + fingerprint.toString('base64'), () =>
        lookUp(kind, fingerprint, address),
      );
      if (!found) return undefined;
      if (found.expiresAtMs !== null && found.expiresAtMs <= Date.now()) return undefined;
      used.add(found.keyId);
      return found;
    },
    invalidate: () => known.invalidate(),
    async close() {
      clearInterval(timer);
      await touch();
    },
  };
}
