import { Button, Text, useComputedColorScheme } from '@mantine/core';
import { useDisclosure, useElementSize } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { chartColors, seriesColors } from '../app/theme';
import { formatCompact, formatNumber, LOCALE } from './format';
import classes from './Chart.module.css';

export interface Series {
  name: string;
  /** One value for each time. Null is a gap. */
  values: (number | null)[];
}

/** Pixels below the plot. */
const LEGEND_HEIGHT = 30;
/** A shorter part of the time would be a line between two points, and a slip of the mouse selects it. */
const MIN_ZOOM_BUCKETS = 3;
/** With so few times the points are drawn, so that a line of two is no trend. */
const MAX_TIMES_WITH_POINTS = 12;

interface ChartProps {
  /** The question that the chart answers. */
  title: string;
  /** When the buckets begin, in seconds since 1970. */
  times: number[];
  /** How long a bucket is. */
  bucketSeconds: number;
  series: Series[];
  height?: number;
}

const formatTime = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'short' });
const formatHour = new Intl.DateTimeFormat(LOCALE, { hour: 'numeric', minute: '2-digit' });
const formatDay = new Intl.DateTimeFormat(LOCALE, { month: 'short', day: 'numeric' });

/** A day of the server is a day of UTC, so it is written as that date in all zones. */
const utcDay = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeZone: 'UTC' });
const utcTick = new Intl.DateTimeFormat(LOCALE, { month: 'short', day: 'numeric', timeZone: 'UTC' });

/** The name of the zone of the reader at a time, such as "GMT+1". */
const zone = new Intl.DateTimeFormat(LOCALE, { timeZoneName: 'short' });
const zoneAt = (seconds: number): string =>
  zone.formatToParts(seconds * 1000).find(({ type }) => type === 'timeZoneName')!.value;

const DAY_SECONDS = 86_400;

/** The distances of the labels of the time axis. uPlot's own begin at a millisecond. */
const AXIS_STEPS = [
  ...[1, 5, 10, 15, 30].map((minutes) => minutes * 60),
  ...[1, 2, 3, 4, 6, 8, 12].map((hours) => hours * 3_600),
  ...[1, 2, 3, 4, 5, 7, 10, 15].map((days) => days * DAY_SECONDS),
];

const formatBucket = (seconds: number, bucketSeconds: number): string =>
  (bucketSeconds === DAY_SECONDS ? utcDay : formatTime).format(seconds * 1000);

/** Midnight is shown as the new day. */
function formatTick(seconds: number, step: number, isDaily: boolean): string {
  if (isDaily) return utcTick.format(seconds * 1000);
  const time = new Date(seconds * 1000);
  const isDay = step >= DAY_SECONDS || (time.getHours() === 0 && time.getMinutes() === 0);
  return (isDay ? formatDay : formatHour).format(time);
}

/** Whether the last bucket ends after now, so that its number still grows. */
function isLastUnfinished(times: ArrayLike<number>, bucketSeconds: number): boolean {
  const last = times[times.length - 1];
  return last !== undefined && last + bucketSeconds > Date.now() / 1000;
}

/** A bucket that is not over says so. */
const describeBucket = (time: number, times: number[], bucketSeconds: number): string =>
  `${formatBucket(time, bucketSeconds)}${time === times.at(-1) && isLastUnfinished(times, bucketSeconds) ? ' · so far' : ''}`;

/**
 * Lines over time. A bucket that is not over is a circle beside the line, because a line to it would look like a fall. Drag zooms, a double
 * click resets. The table has the same numbers for screen readers.
 */
export function Chart({ title, times, bucketSeconds, series, height = 220 }: ChartProps) {
  const [isTable, table] = useDisclosure();
  const toggleLabel = isTable ? 'View as chart' : 'View as table';
  if (series.length === 0)
    return (
      <Text size="sm" c="dimmed">
        Nothing in this time.
      </Text>
    );
  return (
    <div className={classes.chart}>
      {isTable ? (
        <ChartTable title={title} times={times} bucketSeconds={bucketSeconds} series={series} />
      ) : (
        <Plot title={title} times={times} bucketSeconds={bucketSeconds} series={series} height={height} />
      )}
      <Button
        variant="subtle"
        color="gray"
        size="compact-xs"
        onClick={table.toggle}
        className={classes.toggle}
        aria-label={`${toggleLabel}: ${title}`}
      >
        {toggleLabel}
      </Button>
    </div>
  );
}

function Plot({ title, times, bucketSeconds, series, height }: Required<ChartProps>) {
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
      optionsOf(names.split('\n'), width, height, scheme, bucketSeconds, setCanReset),
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
        <Button
          variant="default"
          size="compact-xs"
          onClick={() => plot.current?.setData(plot.current.data)}
          className={classes.reset}
          aria-label={`Reset the zoom: ${title}`}
        >
          Reset the zoom
        </Button>
      )}
    </div>
  );
}

/** Whether the plot shows a part of the time of its data. */
function isZoomed({ data: [times], scales }: uPlot): boolean {
  const { min = null, max = null } = scales['x'] ?? {};
  return min !== null && max !== null && (min > times[0]! || max < times.at(-1)!);
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

function optionsOf(
  names: string[],
  width: number,
  height: number,
  scheme: 'light' | 'dark',
  bucketSeconds: number,
  onZoom: (isZoomed: boolean) => void,
): uPlot.Options {
  const isDaily = bucketSeconds === DAY_SECONDS;
  const colors = seriesColors[scheme];
  const { text, grid, surface } = chartColors[scheme];
  const font = "11px 'Inter Variable', sans-serif";
  const axis: uPlot.Axis = {
    stroke: text,
    font,
    grid: { stroke: grid, width: 1 },
    ticks: { show: false },
  };
  return {
    width,
    height,
    ...(isDaily && { tzDate: (seconds: number) => uPlot.tzDate(new Date(seconds * 1000), 'UTC') }),
    // At the right there is room for half of the last label.
    padding: [8, 28, 0, 0],
    legend: { markers: { width: 0, fill: (_plot, index) => colors[(index - 1) % colors.length]! } },
    hooks: {
      drawSeries: [(plot, index) => drawUnfinished(plot, index, bucketSeconds, surface)],
      setScale: [(plot, scale) => scale === 'x' && onZoom(isZoomed(plot))],
    },
    cursor: { points: { size: 7 } },
    scales: {
      x: { range: zoomRange(bucketSeconds) },
      y: { range: (_plot, _min, max) => [0, Math.max(max ?? 0, 1) * 1.1] },
    },
    axes: [
      {
        ...axis,
        space: 80,
        size: 26,
        // Between two buckets there is nothing to label.
        incrs: AXIS_STEPS.filter((step) => step >= bucketSeconds),
        grid: { show: false },
        values: (_plot, splits, _axis, _space, step) => splits.map((time) => formatTick(time, step, isDaily)),
      },
      {
        ...axis,
        size: 40,
        values: (_plot, splits) =>
          splits.map((value) => (Number.isInteger(value) ? formatCompact(value) : '')),
      },
    ],
    series: [
      {
        label: '',
        value: (plot, time) =>
          time === null ? '' : describeBucket(time, plot.data[0] as number[], bucketSeconds),
      },
      ...names.map((label, index) => ({
        label,
        paths: finishedPath(bucketSeconds),
        stroke: colors[index % colors.length]!,
        width: 1.5,
        ...(names.length === 1 && { fill: `${colors[0]}1f` }),
        points: { show: ({ data: [times] }: uPlot) => times.length <= MAX_TIMES_WITH_POINTS, size: 5 },
        value: (_plot: uPlot, value: number | null, _series: number, index: number | null) =>
          index === null ? '' : value === null ? '–' : formatNumber(value),
      })),
    ],
  };
}

/** Ignores a selection that is too short: the time that was shown stays. */
const zoomRange =
  (bucketSeconds: number): uPlot.Range.Function =>
  ({ data: [times], scales }, min, max) => {
    const { min: shownMin, max: shownMax } = scales['x']!;
    const isPart = min > times[0]! || max < times.at(-1)!;
    const isTooShort = isPart && max - min < MIN_ZOOM_BUCKETS * bucketSeconds;
    return isTooShort && shownMin != null && shownMax != null ? [shownMin, shownMax] : [min, max];
  };

const linear = uPlot.paths.linear!();

const finishedPath =
  (bucketSeconds: number): uPlot.Series.PathBuilder =>
  (plot, series, first, last) => {
    const times = plot.data[0];
    const endsNow = last === times.length - 1 && isLastUnfinished(times, bucketSeconds);
    return linear(plot, series, first, endsNow ? last - 1 : last);
  };

/** Pixels from the middle of the circle to its line. */
const CIRCLE_RADIUS = 3;

/** Draws a circle at the last bucket. */
function drawUnfinished(plot: uPlot, series: number, bucketSeconds: number, surface: string): void {
  const time = plot.data[0].at(-1);
  const value = plot.data[series]!.at(-1);
  const { min, max } = plot.scales['x']!;
  if (!isLastUnfinished(plot.data[0], bucketSeconds) || time === undefined || value == null) return;
  // The reader has zoomed to an earlier time.
  if (time < min! || time > max!) return;
  const { ctx } = plot;
  ctx.save();
  ctx.beginPath();
  ctx.arc(
    plot.valToPos(time, 'x', true),
    plot.valToPos(value, 'y', true),
    CIRCLE_RADIUS * devicePixelRatio,
    0,
    2 * Math.PI,
  );
  ctx.fillStyle = surface;
  ctx.fill();
  ctx.stroke();
  ctx.restore();
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
function ChartTable({
  title,
  times,
  bucketSeconds,
  series,
}: Pick<ChartProps, 'title' | 'times' | 'bucketSeconds' | 'series'>) {
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
