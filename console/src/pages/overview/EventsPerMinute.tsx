import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useMemo } from 'react';
import { api } from '../../app/client';
import { ErrorState } from '../../components/ErrorState';
import { Panel } from '../../components/Page';
import { State } from '../../components/State';

const Chart = lazy(() => import('../../components/Chart').then((module) => ({ default: module.Chart })));

const MINUTES = 60;
const REFRESH_MS = 5_000;

/** The events of the last hour by minute, read again every five seconds. */
export function EventsPerMinute({ tenantId }: { tenantId: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['events-per-minute', tenantId],
    queryFn: ({ signal }) => readMinutes(tenantId, signal),
    refetchInterval: REFRESH_MS,
  });
  const chart = useMemo(() => data && toChart(data), [data]);
  return (
    <Panel title="Events per minute" actions={<State tone="good">● Live</State>}>
      {error && !data ? (
        <ErrorState error={error} what="Events could not be counted" retry={() => void refetch()} />
      ) : (
        <Suspense fallback={<Skeleton height={230} />}>
          <Chart
            title="Events per minute"
            isLoading={!chart}
            times={chart?.times ?? []}
            series={chart?.series ?? []}
          />
        </Suspense>
      )}
    </Panel>
  );
}

async function readMinutes(tenantId: string, signal: AbortSignal) {
  const to = Math.floor(Date.now() / 60_000) * 60_000 + 60_000;
  const from = to - MINUTES * 60_000;
  const [match, player] = await Promise.all(
    (['match', 'player'] as const).map(async (scope) => {
      const query = {
        scope,
        bucket: 'minute',
        from: new Date(from).toISOString(),
        to: new Date(to).toISOString(),
      } as const;
      const { items } = await api.GET('/api/bus_tenants/{tenantId}/events/summary', {
        params: { path: { tenantId }, query },
        signal,
      });
      return items;
    }),
  );
  return { from, match: match!, player: player! };
}

type Minutes = Awaited<ReturnType<typeof readMinutes>>;

function toChart({ from, match, player }: Minutes) {
  const first = from / 60_000;
  const count = (items: Minutes['match']): number[] => {
    const counts = Array.from({ length: MINUTES }, () => 0);
    for (const item of items) counts[Date.parse(item.bucketStart) / 60_000 - first]! += item.count;
    return counts;
  };
  return {
    times: Array.from({ length: MINUTES }, (_, index) => (first + index) * 60),
    series: [
      { name: 'Match events', values: count(match) },
      { name: 'Player events', values: count(player) },
    ],
  };
}
