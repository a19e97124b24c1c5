/** The current time in ISO 8601 in UTC, with milliseconds. */
export function now(): string {
  return new Date().toISOString();
}

/** The time `seconds` after now. Negative values are in the past. */
export function secondsFromNow(seconds: number): string {
  return new Date(Date.now() + seconds * 1000).toISOString();
}

const SHAPE = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:([Zz])|([+-])(\d\d):(\d\d))$/;

/**
 * Parses an ISO 8601 date and time with an offset, and returns it in UTC with six fractional digits (further digits are
 * cut, not rounded). Each instant has one spelling, so texts can be compared and hashed.
 * Returns undefined for anything else: no offset, an invalid day, a leap second, or a year outside 1 to 9999.
 */
export function toMicroseconds(text: string): string | undefined {
  if (text.length > 64) return undefined;
  const parts = SHAPE.exec(text);
  if (!parts) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '', utc, sign, offsetHour, offsetMinute] =
    parts;
  const date = `${year}-${month}-${day}`;
  if (!isCalendarDay(Number(year), Number(month), Number(day))) return undefined;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;

  const microseconds = fraction.slice(0, 6).padEnd(6, '0');
  if (utc) return `${date}T${hour}:${minute}:${second}.${microseconds}Z`;
  if (Number(offsetHour) > 23 || Number(offsetMinute) > 59) return undefined;

  const offset = (Number(offsetHour) * 60 + Number(offsetMinute)) * (sign === '-' ? -60_000 : 60_000);
  const instant = new Date(Date.parse(`${date}T${hour}:${minute}:${second}Z`) - offset);
  const shifted = instant.toISOString();
  // Years beyond four digits have a sign. PostgreSQL has no year 0.
  if (shifted.length !== 24 || shifted.startsWith('0000')) return undefined;
  return `${shifted.slice(0, 19)}.${microseconds}Z`;
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isCalendarDay(year: number, month: number, day: number): boolean {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = month === 2 && leap ? 29 : (DAYS[month - 1] ?? 0);
  return year > 0 && day > 0 && day <= days;
}
