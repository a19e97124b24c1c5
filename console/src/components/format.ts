/** The language of the console. Numbers and times in that of the browser would be foreign words in its sentences. */
export const LOCALE = 'en';

const numbers = new Intl.NumberFormat(LOCALE);
const compact = new Intl.NumberFormat(LOCALE, { notation: 'compact', maximumFractionDigits: 1 });
const exact = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'long' });
const CLOCK = { hour: 'numeric', minute: '2-digit', second: '2-digit' } as const;
const DAY = { month: 'short', day: 'numeric' } as const;
const clock = new Intl.DateTimeFormat(LOCALE, CLOCK);
const dated = new Intl.DateTimeFormat(LOCALE, { ...DAY, ...CLOCK });
const datedWithYear = new Intl.DateTimeFormat(LOCALE, { year: 'numeric', ...DAY, ...CLOCK });
/** Always with a number: what was 47 hours ago is one whole day ago, but may be older than yesterday. */
const relative = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'always', style: 'short' });

export const formatNumber = (value: number | bigint): string => numbers.format(value);

/** "12 players", "1 entry", "1 player matches the filters". The plural of the noun is regular. */
export function formatCount(count: number, noun: string, isFiltered = false): string {
  const things = `${formatNumber(count)} ${count === 1 ? noun : `${noun.replace(/([^aeiou])y$/, '$1ie')}s`}`;
  if (!isFiltered) return things;
  return `${things} ${count === 1 ? 'matches' : 'match'} the filters`;
}

/** 12.4K instead of 12,400, for axes and tight places. */
export const formatCompact = (value: number): string => compact.format(value);

/** "42 %", "150 %". Cut off instead of rounded, so that 100 % are used only when nothing is left. */
export function formatShare(used: number, limit: number): string {
  const tenths = limit === 0 ? 1_000 : Math.floor((used * 1_000) / limit);
  return tenths < 100 ? `${(tenths / 10).toFixed(1)} %` : `${formatNumber(Math.floor(tenths / 10))} %`;
}

/** A time in the zone of the reader, with the name of the zone. */
export const formatExactTime = (iso: string): string => exact.format(new Date(iso));

/** "6:50:01 PM", "Nov 29, 6:50:01 PM", "Nov 29, 2025, 6:50:01 PM": without the parts of the date that are those of today. */
export function formatClockTime(iso: string, now: number): string {
  const [time, today] = [new Date(iso), new Date(now)];
  const format = time.toDateString() === today.toDateString() ? clock : dated;
  return (time.getFullYear() === today.getFullYear() ? format : datedWithYear).format(time);
}

/** The name of a role or state for the reader: "owner" is "Owner". */
export const capitalize = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);

const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** A future time of at least this part of a unit is shown in the unit: 23 hours and 55 minutes are "in 1 day", not "in 24 hr.". */
const ALMOST = 0.98;

/** "3 min. ago", "in 2 days". Past times are rounded down, and future times to the nearest unit. */
export function formatRelativeTime(iso: string, now: number): string {
  const seconds = Math.round((Date.parse(iso) - now) / 1000);
  const [least, round] = seconds > 0 ? [ALMOST, Math.round] : [1, Math.trunc];
  const step = STEPS.find(([, width]) => Math.abs(seconds) >= width * least);
  if (step) return relative.format(round(seconds / step[1]), step[0]);
  return Math.abs(seconds) < 10 ? 'now' : relative.format(seconds, 'second');
}

const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

export function formatBytes(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1024 && unit < BYTE_UNITS.length - 1) [value, unit] = [value / 1024, unit + 1];
  return `${value.toLocaleString(LOCALE, { maximumFractionDigits: unit === 0 ? 0 : 1 })} ${BYTE_UNITS[unit]}`;
}

/** What records are called, by id. A name that several of them have is followed by the end of the id. */
export function distinctNames(records: { id: string; name: string }[]): Map<string, string> {
  const counts = new Map<string, number>();
  for (const { name } of records) counts.set(name, (counts.get(name) ?? 0) + 1);
  return new Map(
    records.map(({ id, name }) => [id, counts.get(name) === 1 ? name : `${name} · …${id.slice(-6)}`]),
  );
}

/** The two ends of an id. Ids of version 7 begin with the time, so both ends are needed to tell rows apart. An email address stays whole. */
export function shortenId(id: string): string {
  return id.length <= 14 || id.includes('@') ? id : `${id.slice(0, 6)}…${id.slice(-6)}`;
}

/** The choices of a select, from pairs of a value and its name. */
export const choicesOf = (
  names: Iterable<[value: string, label: string]>,
): { value: string; label: string }[] => Array.from(names, ([value, label]) => ({ value, label }));
