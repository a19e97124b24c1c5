import { useQuery } from '@tanstack/react-query';
import { Chart } from '../../components/Chart';
import { Panel } from '../../components/Page';
import { Pending } from '../../components/Pending';
import { State } from '../../components/State';
import { bucketTimes } from '../events/bucket-times';
import { countsOf } from '../events/top-series';
import { eventsPerMinuteQuery } from './queries';

/** The events of the last hour by minute, read again every five seconds. */
export function EventsPerMinute({ tenantId }: { tenantId: string }) {
  const query = useQuery(eventsPerMinuteQuery(tenantId));
  const { data, error, isPaused, failureCount } = query;
  // One request may fail when the server is restarted.
  const isLive = !error && !isPaused && failureCount < 3;
  return (
    <Panel
      title="Events per minute, last hour"
      actions={data && (isLive ? <State tone="good">● Live</State> : <State tone="warn">Not updated</State>)}
    >
      {data ? (
        <Chart
          title="Events per minute"
          times={bucketTimes(data.match)}
          bucketSeconds={60}
          series={[
            { name: 'Match events', values: countsOf(data.match) },
            { name: 'Player events', values: countsOf(data.player) },
          ]}
        />
      ) : (
        <Pending query={query} failure="Events could not be counted" height={250} />
      )}
    </Panel>
  );
}
