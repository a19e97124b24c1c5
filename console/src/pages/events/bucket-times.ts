import { BUCKET_SECONDS } from '../../components/range.ts';

/**
 * The beginnings of the buckets of a time range, in seconds since 1970. A bucket that began before the range is left out: its count is
 * too small, and would look like a drop.
 */
export function bucketTimes({
  bucket,
  from,
  to,
}: {
  bucket: keyof typeof BUCKET_SECONDS;
  from: string;
  to: string;
}): number[] {
  const width = BUCKET_SECONDS[bucket];
  const times: number[] = [];
  for (
    let time = Math.ceil(Date.parse(from) / 1000 / width) * width;
    time * 1000 < Date.parse(to);
    time += width
  )
    times.push(time);
  return times;
}
