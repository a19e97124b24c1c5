import { useQuery } from '@tanstack/react-query';
import type { Column } from '../../components/DataTable';
import { formatNumber } from '../../components/format';
import { NoRows } from '../../components/NoRows';
import { Page, Panel } from '../../components/Page';
import { MaybeTime, RelativeTime } from '../../components/RelativeTime';
import { Pending } from '../../components/Pending';
import { State } from '../../components/State';
import { TablePanel } from '../../components/TablePanel';
import { healthQuery, jobsQuery, type ComponentHealth, type JobQueue } from './queries';
import classes from './HealthPage.module.css';

export function HealthPage() {
  const health = useQuery(healthQuery);
  const jobs = useQuery(jobsQuery);
  return (
    <Page
      title="Health and jobs"
      subtitle={
        health.data
          ? `Guildhall ${health.data.version}, checked every 5 seconds`
          : 'What this server depends on, and its background work'
      }
    >
      <Panel title="Components" flush>
        {health.data ? (
          <ul className={classes.components}>
            {health.data.components.map((component) => (
              <Component key={component.component} {...component} />
            ))}
          </ul>
        ) : (
          <Pending query={health} failure="The health could not be loaded" height={210} />
        )}
      </Panel>
      <TablePanel
        title="Job queues"
        columns={columns}
        rows={jobs.data?.items}
        rowKey={({ name }) => name}
        query={jobs}
        empty={<NoRows>No queue exists yet. The first start of a worker creates them.</NoRows>}
      />
    </Page>
  );
}

const NAMES: Record<ComponentHealth['component'], string> = {
  database: 'Database',
  worker: 'Worker',
  mail: 'Mail server',
  redis: 'Redis',
  chain: 'EVM chain',
};

function Component({ component, status, detail, latencyMs, since }: ComponentHealth) {
  return (
    <li>
      <span className={classes.name}>{NAMES[component]}</span>
      <span>
        {status === 'ok' && <State tone="good">Works</State>}
        {status === 'off' && <State>Off</State>}
        {status === 'failing' && <State tone="bad">Failing</State>}
      </span>
      <span className={classes.detail}>
        {detail?.split('`').map((part, index) => (index % 2 === 0 ? part : <code key={index}>{part}</code>))}
        {since !== null && (
          <>
            {' '}
            Since <RelativeTime at={since} />.
          </>
        )}
      </span>
      <span className={classes.latency}>{latencyMs !== null && `${formatNumber(latencyMs)} ms`}</span>
    </li>
  );
}

const count = (value: number) => (value === 0 ? '–' : formatNumber(value));

const columns: Column<JobQueue>[] = [
  { id: 'name', header: 'Queue', narrowWidth: 180, cell: ({ name }) => name },
  {
    id: 'waiting',
    header: 'Waiting',
    width: 100,
    narrowWidth: 80,
    align: 'right',
    cell: ({ waiting }) => count(waiting),
  },
  { id: 'delayed', header: 'Delayed', width: 100, align: 'right', cell: ({ delayed }) => count(delayed) },
  { id: 'running', header: 'Running', width: 100, align: 'right', cell: ({ running }) => count(running) },
  {
    id: 'failed',
    header: 'Failed',
    width: 110,
    narrowWidth: 90,
    align: 'right',
    cell: ({ failed }) => (failed === 0 ? '–' : <State tone="bad">{formatNumber(failed)} failed</State>),
  },
  {
    id: 'oldest',
    header: 'Oldest waits since',
    width: 160,
    cell: ({ oldestWaitingAt }) => <MaybeTime at={oldestWaitingAt} />,
  },
  {
    id: 'counted',
    header: 'Counted',
    width: 120,
    cell: ({ countedAt }) => <MaybeTime at={countedAt} none="Never" />,
  },
];
