import { Button, Group, Text, useComputedColorScheme } from '@mantine/core';
import { useDisclosure, useElementSize } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { isZoomed, optionsOf } from './chart-options';
import { DAY_SECONDS, describeBucket, isLastUnfinished, zoneAt } from './chart-times';
import { formatNumber } from './format';
import classes from './Chart.module.css';

export interface Series {
  name: string;
  /** One value for each time. Null is a gap. */
  values: (number | null)[];
}

/** Pixels below the plot. */
const LEGEND_HEIGHT = 30;

interface ChartProps {
  /** The question that the chart answers. */
  title: string;
  /** When the buckets begin, in seconds since 1970. */
  times: number[];
  /** How long a bucket is. */
  bucketSeconds: number;
  series: Series[];
  height?: number;
  /** What a button does with the part of the time that the reader has zoomed to, in seconds since 1970. */
  zoomAction?: { label: string; run: (from: number, to: number) => void } | undefined;
}

/**
 * Lines over time. A bucket that is not over is a circle beside the line, because a line to it would look like a fall. Drag zooms, a double
 * click resets. The table has the same numbers for screen readers.
 */
export function Chart(chart: ChartProps) {
  const [isTable, table] = useDisclosure();
  const toggleLabel = isTable ? 'View as chart' : 'View as table';
  if (chart.series.length === 0) return <Text c="dimmed">No data in this time range.</Text>;
  return (
    <div className={classes.chart}>
      {isTable ? <ChartTable {...chart} /> : <Plot {...chart} />}
      <Button
        variant="subtle"
        color="gray"
        size="compact-xs"
        onClick={table.toggle}
        className={classes.toggle}
        aria-label={`${toggleLabel}: ${chart.title}`}
      >
        {toggleLabel}
      </Button>
    </div>
  );
}

function Plot({ title, times, bucketSeconds, series, height = 220, zoomAction }: ChartProps) {
  const scheme = useComputedColorScheme();
  const { ref: frame, width } = useElementSize();
  const [canReset, setCanReset] = useState(false);
  const plot = useRef<uPlot>(undefined);
  const target = useRef<HTMLDivElement>(null);
  const names = series.map(({ name }) => name).join('\n');
  const data: uPlot.AlignedData = [times, ...series.map(({ values }) => values)];
  const latest = useRef(data);
  latest.current = data;

  useEffect(() => {
    if (width === 0 || !target.current) return;
    plot.current = new uPlot(
      optionsOf({ names: names.split('\n'), width, height, scheme, bucketSeconds, onZoom: setCanReset }),
      latest.current,
      target.current,
    );
    return () => plot.current?.destroy();
  }, [names, width, height, scheme, bucketSeconds]);

  useEffect(() => {
    if (plot.current) update(plot.current, data);
  });

  return (
    <div ref={frame} style={{ minHeight: height + LEGEND_HEIGHT }}>
      <div ref={target} role="img" aria-label={`${title}: ${describe(times, bucketSeconds, series)}`} />
      {canReset && (
        <Group gap="xs" className={classes.reset}>
          {zoomAction && (
            <Button
              variant="default"
              size="compact-xs"
              onClick={() => zoomAction.run(...shownTime(plot.current!, bucketSeconds))}
            >
              {zoomAction.label}
            </Button>
          )}
          <Button
            variant="default"
            size="compact-xs"
            onClick={() => plot.current?.setData(plot.current.data)}
            aria-label={`Reset the zoom: ${title}`}
          >
            Reset the zoom
          </Button>
        </Group>
      )}
    </div>
  );
}

/** The time of the buckets that are in view. */
function shownTime({ data: [times], scales }: uPlot, bucketSeconds: number): [from: number, to: number] {
  const { min, max } = scales['x']!;
  const shown = times.filter((time) => time >= min! && time <= max!);
  return [shown[0]!, shown.at(-1)! + bucketSeconds];
}

/** Shows new data. The part of the time that the reader has zoomed to stays, unless the data are of another range. */
function update(plot: uPlot, data: uPlot.AlignedData): void {
  const [before] = plot.data;
  const [times] = data;
  const { min = 0, max = 0 } = plot.scales['x'] ?? {};
  const isSameRange = Math.abs(times.length - before.length) <= 1 && max > times[0]!;
  const keepsZoom = isZoomed(plot) && isSameRange;
  plot.setData(data, !keepsZoom);
  if (keepsZoom) plot.setScale('x', { min, max });
}

/** One sentence about the numbers, for those who do not see the lines. */
function describe(times: number[], bucketSeconds: number, series: Series[]): string {
  const soFar = isLastUnfinished(times, bucketSeconds) ? ' so far' : '';
  return series
    .map(({ name, values }) => {
      const known = values.filter((value) => value !== null);
      if (known.length === 0) return `${name} has no data`;
      return `${name} from ${formatNumber(Math.min(...known))} to ${formatNumber(Math.max(...known))}, last ${formatNumber(known.at(-1)!)}${soFar}`;
    })
    .join('; ');
}

/** The newest bucket is the first row, because readers look for it. */
function ChartTable({ title, times, bucketSeconds, series }: ChartProps) {
  const newestFirst = times.map((time, index) => ({ time, index })).toReversed();
  return (
    <div className={classes.table} tabIndex={0} role="region" aria-label={title}>
      <table>
        <thead>
          <tr>
            <th scope="col">Time ({bucketSeconds === DAY_SECONDS ? 'UTC' : zoneAt(times[0] ?? 0)})</th>
            {series.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {newestFirst.map(({ time, index }) => (
            <tr key={time}>
              <th scope="row">{describeBucket(time, times, bucketSeconds)}</th>
              {series.map(({ name, values }) => (
                <td key={name}>{values[index] == null ? '–' : formatNumber(values[index])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
