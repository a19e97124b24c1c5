import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Chart } from '../../components/Chart';
import { Panel } from '../../components/Page';
import { Pending } from '../../components/Pending';
import { State } from '../../components/State';
import { eventsPerMinuteQuery, MINUTES, type Minutes } from './queries';

/** The events of the last hour by minute, read again every five seconds. */
export function EventsPerMinute({ tenantId }: { tenantId: string }) {
  const query = useQuery(eventsPerMinuteQuery(tenantId));
  const { data, error } = query;
  const chart = useMemo(() => data && toChart(data), [data]);
  return (
    <Panel
      title="Events per minute"
      actions={error ? <State tone="warn">Not updated</State> : <State tone="good">● Live</State>}
    >
      {chart ? (
        <Chart title="Events per minute" bucketSeconds={60} {...chart} />
      ) : (
        <Pending query={query} failure="Events could not be counted" height={250} />
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
