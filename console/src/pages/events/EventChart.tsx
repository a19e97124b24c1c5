import { Select, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Chart, type Series } from '../../components/Chart';
import { ErrorState, isInvalidFilter } from '../../components/ErrorState';
import { choicesOf } from '../../components/format';
import { Panel } from '../../components/Page';
import { BUCKET_SECONDS, bucketsOf, isInterval, toInterval, type Interval } from '../../components/range';
import { useSearchChange } from '../../components/use-search-change';
import {
  eventCountsQuery,
  figureQuery,
  figures,
  frequentKeysQuery,
  type ChartRange,
  type EventFilter,
  type Figure,
} from './queries';
import { figureSeries, topSeries } from './top-series';

interface EventChartProps {
  tenantId: string;
  filter: EventFilter;
  range: ChartRange;
  /** Whether it is not known yet which events the page shows. */
  isUndecided: boolean;
  /** Shows the events of the time that the reader has zoomed to. */
  onZoomTo: (interval: Interval) => void;
}

type ChartPanelProps = Pick<EventChartProps, 'range' | 'isUndecided' | 'onZoomTo'> & {
  figure?: Figure;
  error: Error | null | undefined;
  retry: () => void;
  lines: { times: number[]; series: Series[] } | undefined;
};

/** The events of the range over time, or a figure of them. */
export function EventChart({ figure, ...events }: EventChartProps & { figure: Figure | undefined }) {
  return figure ? <FigureChart figure={figure} {...events} /> : <KeysChart {...events} />;
}

/** The most frequent keys. */
function KeysChart({ tenantId, filter, ...panel }: EventChartProps) {
  const { range } = panel;
  const all = useQuery(eventCountsQuery(tenantId, filter, range));
  const frequent = useQuery(frequentKeysQuery(tenantId, filter, range));
  return (
    <ChartPanel
      {...panel}
      error={[all, frequent].find(({ error, data }) => error && !data)?.error}
      retry={() => void Promise.all([all.refetch(), frequent.refetch()])}
      lines={all.data && frequent.data && topSeries(all.data, frequent.data)}
    />
  );
}

/** One line for all events that match the filter. */
function FigureChart({ tenantId, filter, figure, ...panel }: EventChartProps & { figure: Figure }) {
  const { range } = panel;
  const { data, error, refetch } = useQuery(figureQuery(tenantId, filter, range, figure));
  return (
    <ChartPanel
      {...panel}
      figure={figure}
      error={data ? null : error}
      retry={() => void refetch()}
      lines={data && figureSeries({ ...data, bucket: bucketsOf(range).bucket }, figure)}
    />
  );
}

const EVENTS = { value: '', label: 'Events' };
const FIGURES = [EVENTS, ...choicesOf(Object.entries(figures))];

function ChartPanel({ range, figure, error, retry, lines, isUndecided, onZoomTo }: ChartPanelProps) {
  const change = useSearchChange<{ show: string | undefined }>();
  // The table shows the error of an invalid filter. An interval can be too long for the chart alone.
  if (isInvalidFilter(error) && !isInterval(range)) return null;
  const { bucket } = bucketsOf(range);
  const name = figure ? figures[figure] : EVENTS.label;
  const title = `${name} per ${bucket}`;
  return (
    <Panel
      title={title}
      actions={
        <Select
          size="xs"
          w={140}
          aria-label="Show"
          data={FIGURES}
          value={figure ?? EVENTS.value}
          onChange={(next) => change({ show: next || undefined })}
          comboboxProps={{ transitionProps: { duration: 0 } }}
        />
      }
    >
      {error ? (
        <ErrorState error={error} what="The chart could not be loaded" retry={retry} />
      ) : lines && !isUndecided ? (
        <Chart
          key={range}
          title={title}
          bucketSeconds={BUCKET_SECONDS[bucket]}
          {...lines}
          height={150}
          zoomAction={{
            label: 'Show the events of this time',
            run: (from, to) => onZoomTo(toInterval(from * 1_000, to * 1_000)),
          }}
        />
      ) : (
        <Skeleton height={180} />
      )}
    </Panel>
  );
}
