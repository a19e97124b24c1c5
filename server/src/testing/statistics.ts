/** The value below which a part of the values lies: 0.99 for the 99th percentile. NaN without values. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = Float64Array.from(values).toSorted();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

/** The value in the middle, or the mean of the two in the middle. NaN without values. */
export function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).toSorted();
  const half = sorted.length / 2;
  return (sorted[Math.ceil(half) - 1]! + sorted[Math.floor(half)]!) / 2;
}

/** A value at a time in seconds. */
export interface Sample {
  at: number;
  value: number;
}

/** A slope with its 95 % confidence interval, in units per second. */
interface Slope {
  estimate: number;
  least: number;
  most: number;
}

const WINDOWS = 40;
const STANDARD_ERRORS = 1.96;

/**
 * Estimates how fast a noisy value grows (Theil and Sen: the median of the slopes between all pairs). It takes the least value of each
 * of 40 windows, because memory is a sawtooth: it grows until it is collected. Outliers change the median little.
 */
export function slopeOf(samples: readonly Sample[]): Slope {
  const floor = leastOfWindows(samples);
  const slopes: number[] = [];
  for (const [index, from] of floor.entries())
    for (const to of floor.slice(index + 1)) slopes.push((to.value - from.value) / (to.at - from.at));
  slopes.sort((a, b) => a - b);
  const { length } = floor;
  // The normal approximation of Kendall's statistic.
  const spread = STANDARD_ERRORS * Math.sqrt((length * (length - 1) * (2 * length + 5)) / 18);
  const at = (place: number): number =>
    slopes[Math.min(slopes.length - 1, Math.max(0, Math.round(place)))] ?? Number.NaN;
  return {
    estimate: median(slopes),
    least: at((slopes.length - spread) / 2),
    most: at((slopes.length + spread) / 2),
  };
}

function leastOfWindows(samples: readonly Sample[]): Sample[] {
  const size = Math.max(1, Math.ceil(samples.length / WINDOWS));
  const windows: Sample[] = [];
  for (let from = 0; from < samples.length; from += size)
    windows.push(
      samples.slice(from, from + size).reduce((least, one) => (one.value < least.value ? one : least)),
    );
  return windows;
}

/** The last third of some values in relation to the first third: the ratio of the medians. */
export function growthByThirds(values: readonly number[]): number {
  const third = Math.max(1, Math.floor(values.length / 3));
  return median(values.slice(-third)) / median(values.slice(0, third));
}
