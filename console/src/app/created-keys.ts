/** The lists of keys of a game, by the kind of the key. */
export const KEY_LISTS = {
  game: '/api/bus_tenants/{tenantId}/game-keys',
  api: '/api/bus_tenants/{tenantId}/api-keys',
} as const;

export type KeyKind = keyof typeof KEY_LISTS;

interface ListedKey {
  prefix: string;
  expiresAt: string | null;
  successorId: string | null;
  requirePlayerToken?: boolean;
}

/**
 * The newest key of a list without revoked keys that is neither expired nor rotated. The server lists the newest key first. If there is
 * another, it is none that requires a player's token, because a game server creates matches without one.
 */
export function newestKey(keys: ListedKey[]): ListedKey | undefined {
  const usable = keys.filter(
    ({ expiresAt, successorId }) =>
      successorId === null && (expiresAt === null || Date.parse(expiresAt) > Date.now()),
  );
  return usable.find(({ requirePlayerToken }) => !requirePlayerToken) ?? usable[0];
}

/**
 * Keys that were created in this tab. The server never shows them again. They stay in the memory of the tab, for the API reference
 * and for snippets, until the tab is reloaded or closed or the account signs out. They are in no storage, URL or log.
 */
const created = new Map<string, { keyId: string; key: string }>();

const nameOf = (tenantId: string, kind: KeyKind): string => `${tenantId} ${kind}`;

export function holdCreatedKey(tenantId: string, kind: KeyKind, keyId: string, key: string): void {
  created.set(nameOf(tenantId, kind), { keyId, key });
}

export function createdKey(tenantId: string, kind: KeyKind): string | undefined {
  return created.get(nameOf(tenantId, kind))?.key;
}

/** Forgets a revoked key. */
export function dropCreatedKey(tenantId: string, kind: KeyKind, keyId: string): void {
  if (created.get(nameOf(tenantId, kind))?.keyId === keyId) created.delete(nameOf(tenantId, kind));
}

export function dropCreatedKeys(): void {
  created.clear();
}
