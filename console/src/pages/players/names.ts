import {
  queryOptions,
  useQueries,
  useQueryClient,
  type QueryCache,
  type UseQueryResult,
} from '@tanstack/react-query';
import { api } from '../../app/client';
import { playerName } from '../../components/player-name';
import type { PlayerPath } from './queries';

/** The most ids that one look-up takes. */
const LOOK_UP_SIZE = 100;

/** What some players are called, by the ids that were asked for. Old names stay while the ids are shown. */
const playerNamesQuery = (tenantId: string, playerIds: string[]) =>
  queryOptions({
    queryKey: [...playerNamesKey(tenantId), playerIds],
    queryFn: async () => {
      const { items } = await api.POST('/api/bus_tenants/{tenantId}/players/bulk', {
        params: { path: { tenantId } },
        body: { playerIds },
      });
      return items.map((player) => [player.requestedId, playerName(player)] as const);
    },
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });

const playerNamesKey = (tenantId: string) => ['players', tenantId, 'names'];

const inOneMap = (lookUps: UseQueryResult<(readonly [id: string, name: string])[]>[]): Map<string, string> =>
  new Map(lookUps.flatMap(({ data = [] }) => data));

/** The look-ups that name the players of a game. Only ids that no look-up in the cache has asked for are in a new one. */
function lookUpsOf(queryCache: QueryCache, tenantId: string, ids: string[]): string[][] {
  const unknown = new Set(ids);
  const earlier = queryCache
    .findAll({ queryKey: playerNamesKey(tenantId) })
    .map(({ queryKey }) => queryKey[3] as string[])
    // Each id is in one look-up, so that none is observed for ids that another has.
    .filter((lookUp) => lookUp.filter((id) => unknown.delete(id)).length > 0);
  const added = [...unknown].toSorted();
  const lookUps = Array.from({ length: Math.ceil(added.length / LOOK_UP_SIZE) }, (_, index) =>
    added.slice(index * LOOK_UP_SIZE, (index + 1) * LOOK_UP_SIZE),
  );
  return [...earlier, ...lookUps];
}

/** What players of one or several games are called, by id. */
export function usePlayerNames(players: PlayerPath[]): Map<string, string> {
  const queryCache = useQueryClient().getQueryCache();
  const idsByGame = new Map<string, string[]>();
  for (const { tenantId, playerId } of players)
    idsByGame.set(tenantId, [...(idsByGame.get(tenantId) ?? []), playerId]);
  return useQueries({
    queries: [...idsByGame].flatMap(([tenantId, ids]) =>
      lookUpsOf(queryCache, tenantId, ids).map((playerIds) => playerNamesQuery(tenantId, playerIds)),
    ),
    combine: inOneMap,
  });
}
