import uPlot from 'uplot';
import { chartColors, seriesColors } from '../app/theme';
import { AXIS_STEPS, DAY_SECONDS, describeBucket, formatTick, isLastUnfinished } from './chart-times';
import { formatCompact, formatNumber } from './format';

/** A shorter part of the time would be a line between two points, and a slip of the mouse selects it. */
const MIN_ZOOM_BUCKETS = 3;
/** With so few times the points are drawn, so that a line of two is no trend. */
const MAX_TIMES_WITH_POINTS = 12;

/** Whether the plot shows a part of the time of its data. */
export function isZoomed({ data: [times], scales }: uPlot): boolean {
  const { min = null, max = null } = scales['x'] ?? {};
  return min !== null && max !== null && (min > times[0]! || max < times.at(-1)!);
}

interface PlotOptions {
  /** The names of the series. */
  names: string[];
  width: number;
  height: number;
  scheme: 'light' | 'dark';
  bucketSeconds: number;
  /** Called when the plot is zoomed, or shows the whole time again. */
  onZoom: (isZoomed: boolean) => void;
}

export function optionsOf({
  names,
  width,
  height,
  scheme,
  bucketSeconds,
  onZoom,
}: PlotOptions): uPlot.Options {
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
      y: { range: (_plot, min, max) => [Math.min(min ?? 0, 0) * 1.1, Math.max(max ?? 0, 1) * 1.1] },
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

/** Ignores a selection that is too short: the time that was shown stays. A single time is in the middle, above its label. */
const zoomRange =
  (bucketSeconds: number): uPlot.Range.Function =>
  ({ data: [times], scales }, min, max) => {
    if (times.length === 1) return [times[0]! - bucketSeconds, times[0]! + bucketSeconds];
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
