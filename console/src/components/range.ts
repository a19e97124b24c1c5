/** Time ranges that end now. The URL holds the name, so that a link keeps its meaning. */
export const ranges = {
  '1h': { label: 'Last hour', seconds: 3_600, bucket: 'minute' },
  '24h': { label: 'Last 24 hours', seconds: 86_400, bucket: 'hour' },
  '7d': { label: 'Last 7 days', seconds: 604_800, bucket: 'hour' },
  '30d': { label: 'Last 30 days', seconds: 2_592_000, bucket: 'day' },
} as const;

/** The length of a bucket of a chart. */
export const BUCKET_SECONDS = { minute: 60, hour: 3_600, day: 86_400 };

export type RangeName = keyof typeof ranges;

export const rangeChoices = Object.entries(ranges).map(([value, { label }]) => ({ value, label }));

/** The begin of a range that a filter names. Without a known name there is no limit. */
export const sinceOf = (name: string | undefined): string | undefined =>
  isRange(name) ? limitsOf(name).from : undefined;

const isRange = (name: string | undefined): name is RangeName =>
  name !== undefined && Object.hasOwn(ranges, name);

export function toRange(name: string | undefined, fallback: RangeName): RangeName {
  return isRange(name) ? name : fallback;
}

/** The limits of a range in whole minutes, which the server counts without reading events one by one. */
export function wholeMinutesOf(name: RangeName): { from: string; to: string } {
  const to = Math.ceil(Date.now() / 60_000) * 60_000;
  return { from: new Date(to - ranges[name].seconds * 1000).toISOString(), to: new Date(to).toISOString() };
}

/** The limits of a range that ends `periods` lengths before now. */
export function limitsOf(name: RangeName, periods = 0): { from: string; to: string } {
  const length = ranges[name].seconds * 1000;
  const to = Date.now() - periods * length;
  return { from: new Date(to - length).toISOString(), to: new Date(to).toISOString() };
}
