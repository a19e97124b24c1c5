import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { api, type Answer, type Body } from '../../app/client';
import { useGame } from '../../app/game';
import { useChange } from '../../app/use-change';
import { byOffset, LARGEST_PAGE } from '../../components/paging';
import {
  createdKey,
  dropCreatedKey,
  holdCreatedKey,
  KEY_LISTS,
  newestKey,
  type KeyKind,
} from '../../app/created-keys';

export type { KeyKind };

type GameKeyPage = Answer<'/api/bus_tenants/{tenantId}/game-keys', 'get'>;
type GameKey = GameKeyPage['items'][number];
type ApiKey = Answer<'/api/bus_tenants/{tenantId}/api-keys', 'get'>['items'][number];
/** Each kind has settings of its own. */
type OwnSettings = Pick<GameKey, 'requirePlayerToken'> &
  Pick<ApiKey, 'allowDataApi' | 'subscriberWorkspaceId'>;
export type AnyKey = Omit<GameKey, keyof OwnSettings> & Partial<OwnSettings>;
type KeyPage = Omit<GameKeyPage, 'items'> & { items: AnyKey[] };
type NewKey = Body<'/api/bus_tenants/{tenantId}/game-keys', 'post'> &
  Body<'/api/bus_tenants/{tenantId}/api-keys', 'post'>;
type KeyChange = Body<'/api/bus_tenants/{tenantId}/game-keys/{keyId}', 'patch'> &
  Body<'/api/bus_tenants/{tenantId}/api-keys/{keyId}', 'patch'>;

const KEY_PATH = {
  game: '/api/bus_tenants/{tenantId}/game-keys/{keyId}',
  api: '/api/bus_tenants/{tenantId}/api-keys/{keyId}',
} as const;
const ROTATE_PATH = {
  game: '/api/bus_tenants/{tenantId}/game-keys/{keyId}/rotate',
  api: '/api/bus_tenants/{tenantId}/api-keys/{keyId}/rotate',
} as const;

export const keysQuery = (tenantId: string, kind: KeyKind, includeRevoked = false) =>
  infiniteQueryOptions({
    queryKey: ['keys', tenantId, kind, { includeRevoked }],
    queryFn: ({ pageParam: offset, signal }): Promise<KeyPage> =>
      api.GET(KEY_LISTS[kind], {
        params: { path: { tenantId }, query: { limit: LARGEST_PAGE, offset, includeRevoked } },
        signal,
      }),
    ...byOffset,
  });

/**
 * A game key for the snippets of a page: the whole key if this tab has created one. Otherwise the prefix of the newest key, with dots for the
 * rest, because nobody can read a whole key again.
 */
export function useSnippetKey(): string {
  const { id } = useGame();
  const keys = useInfiniteQuery(keysQuery(id, 'game'));
  const newest = newestKey(keys.data?.pages[0]?.items ?? []);
  return createdKey(id, 'game') ?? (newest ? `${newest.prefix}…` : '<game key>');
}

/** The answer to a change may hold a key that is shown once. */
const outdatedIn = (tenantId: string) => ({ keys: [['keys', tenantId]], waits: false });

export function useCreateKey(tenantId: string, kind: KeyKind) {
  return useChange(outdatedIn(tenantId), async (body: NewKey) => {
    const created = await api.POST(KEY_LISTS[kind], { params: { path: { tenantId } }, body });
    if (created.key) holdCreatedKey(tenantId, kind, created.id, created.key);
    return created;
  });
}

export function useUpdateKey(tenantId: string, kind: KeyKind) {
  return useChange(outdatedIn(tenantId), ({ keyId, ...body }: KeyChange & { keyId: string }) =>
    api.PATCH(KEY_PATH[kind], { params: { path: { tenantId, keyId } }, body }),
  );
}

export function useRevokeKey(tenantId: string, kind: KeyKind) {
  return useChange(outdatedIn(tenantId), async (keyId: string) => {
    await api.DELETE(KEY_PATH[kind], { params: { path: { tenantId, keyId } } });
    dropCreatedKey(tenantId, kind, keyId);
  });
}

export function useRotateKey(tenantId: string, kind: KeyKind) {
  return useChange(
    outdatedIn(tenantId),
    async ({ keyId, gracePeriodSeconds }: { keyId: string; gracePeriodSeconds: number }) => {
      const params = { path: { tenantId, keyId } };
      const created = await api.POST(ROTATE_PATH[kind], { params, body: { gracePeriodSeconds } });
      holdCreatedKey(tenantId, kind, created.id, created.key);
      return created;
    },
  );
}
