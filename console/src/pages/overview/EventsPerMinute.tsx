import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Chart } from '../../components/Chart';
import { ErrorState } from '../../components/ErrorState';
import { Panel } from '../../components/Page';
import { State } from '../../components/State';
import { eventsPerMinuteQuery, MINUTES, type Minutes } from './queries';

/** The events of the last hour by minute, read again every five seconds. */
export function EventsPerMinute({ tenantId }: { tenantId: string }) {
  const { data, error, refetch } = useQuery(eventsPerMinuteQuery(tenantId));
  const chart = useMemo(() => data && toChart(data), [data]);
  return (
    <Panel
      title="Events per minute"
      actions={error ? <State tone="warn">Not updated</State> : <State tone="good">● Live</State>}
    >
      {error && !data ? (
        <ErrorState error={error} what="Events could not be counted" retry={() => void refetch()} />
      ) : (
        <Chart
          title="Events per minute"
          isLoading={!chart}
          times={chart?.times ?? []}
          bucketSeconds={60}
          series={chart?.series ?? []}
        />
      )}
    </Panel>
  );
}

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
