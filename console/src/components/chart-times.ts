import { LOCALE } from './format';

const formatTime = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'short' });
const formatHour = new Intl.DateTimeFormat(LOCALE, { hour: 'numeric', minute: '2-digit' });
const formatDay = new Intl.DateTimeFormat(LOCALE, { month: 'short', day: 'numeric' });

/** A day of the server is a day of UTC, so it is written as that date in all zones. */
const utcDay = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeZone: 'UTC' });
const utcTick = new Intl.DateTimeFormat(LOCALE, { month: 'short', day: 'numeric', timeZone: 'UTC' });

/** The name of the zone of the reader at a time, such as "GMT+1". */
const zone = new Intl.DateTimeFormat(LOCALE, { timeZoneName: 'short' });
export const zoneAt = (seconds: number): string =>
  zone.formatToParts(seconds * 1000).find(({ type }) => type === 'timeZoneName')!.value;

export const DAY_SECONDS = 86_400;

/** The distances of the labels of the time axis. uPlot's own begin at a millisecond. */
export const AXIS_STEPS = [
  ...[1, 5, 10, 15, 30].map((minutes) => minutes * 60),
  ...[1, 2, 3, 4, 6, 8, 12].map((hours) => hours * 3_600),
  ...[1, 2, 3, 4, 5, 7, 10, 15].map((days) => days * DAY_SECONDS),
];

const formatBucket = (seconds: number, bucketSeconds: number): string =>
  (bucketSeconds === DAY_SECONDS ? utcDay : formatTime).format(seconds * 1000);

/** Midnight is shown as the new day. */
export function formatTick(seconds: number, step: number, isDaily: boolean): string {
  if (isDaily) return utcTick.format(seconds * 1000);
  const time = new Date(seconds * 1000);
  const isDay = step >= DAY_SECONDS || (time.getHours() === 0 && time.getMinutes() === 0);
  return (isDay ? formatDay : formatHour).format(time);
}

/** Whether the last bucket ends after now, so that its number still grows. */
export function isLastUnfinished(times: ArrayLike<number>, bucketSeconds: number): boolean {
  const last = times[times.length - 1];
  return last !== undefined && last + bucketSeconds > Date.now() / 1000;
}

/** A bucket that is not over says so. */
export const describeBucket = (time: number, times: number[], bucketSeconds: number): string =>
  `${formatBucket(time, bucketSeconds)}${time === times.at(-1) && isLastUnfinished(times, bucketSeconds) ? ' · so far' : ''}`;
