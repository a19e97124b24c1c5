/** The current time in ISO 8601 in UTC, with milliseconds. */
export function now(): string {
  return new Date().toISOString();
}

/** The time `seconds` after now. Negative values are in the past. */
export function secondsFromNow(seconds: number): string {
  return new Date(Date.now() + seconds * 1000).toISOString();
}

/** Whether an expiry has passed. Null stands for no expiry. */
export function hasPassed(expiresAt: string | null): boolean {
  return expiresAt !== null && Date.parse(expiresAt) <= Date.now();
}

/** What {@link toMicroseconds} accepts, as the rest of a sentence. */
export const TIMESTAMP_FORM =
  'an ISO 8601 date and time with seconds and an offset (Z or +hh:mm), such as 2026-11-20T21:19:00Z';

/**
 * The date and the time have fixed places. The fraction and the offset are captured. `%z` of strftime writes an offset without a colon.
 */
const SHAPE = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.(\d+))?([Zz]|[+-]\d\d:?\d\d)$/;

/**
 * Parses an ISO 8601 date and time with an offset, and returns it in UTC with six fractional digits (further digits are
 * cut, not rounded). Each instant has one spelling, so texts can be compared and hashed.
 * Returns undefined for anything else: no offset, an invalid day, a leap second, or a year outside 1 to 9999.
 */
export function toMicroseconds(text: string): string | undefined {
  if (text.length > 64) return undefined;
  const parts = SHAPE.exec(text);
  if (!parts) return undefined;
  const [, fraction = '', offset] = parts as unknown as [string, string | undefined, string];
  const year = 100 * twoDigits(text, 0) + twoDigits(text, 2);
  if (!isCalendarDay(year, twoDigits(text, 5), twoDigits(text, 8))) return undefined;
  if (twoDigits(text, 11) > 23 || twoDigits(text, 14) > 59 || twoDigits(text, 17) > 59) return undefined;

  const time = `${text.slice(0, 10)}T${text.slice(11, 19)}`;
  const microseconds = fraction.slice(0, 6).padEnd(6, '0');
  if (offset.length === 1) return `${time}.${microseconds}Z`;
  const [hours, minutes] = [twoDigits(offset, 1), twoDigits(offset, offset.length - 2)];
  if (hours > 23 || minutes > 59) return undefined;

  const ahead = hours * 60 + minutes;
  const instant = new Date(Date.parse(`${time}Z`) - ahead * (offset[0] === '-' ? -60_000 : 60_000));
  const shifted = instant.toISOString();
  // Years beyond four digits have a sign. PostgreSQL has no year 0.
  if (shifted.length !== 24 || shifted.startsWith('0000')) return undefined;
  return `${shifted.slice(0, 19)}.${microseconds}Z`;
}

const DIGIT_0 = 0x30;

/** Reads the number at a place. It creates no text, because {@link toMicroseconds} runs for each event. */
function twoDigits(text: string, place: number): number {
  return 10 * (text.charCodeAt(place) - DIGIT_0) + text.charCodeAt(place + 1) - DIGIT_0;
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isCalendarDay(year: number, month: number, day: number): boolean {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = month === 2 && leap ? 29 : (DAYS[month - 1] ?? 0);
  return year > 0 && day > 0 && day <= days;
}
