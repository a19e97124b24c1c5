/** The periods of a report. A plan is billed for calendar months of UTC. */
export const PERIODS = [
  { value: 'month', label: 'This month' },
  { value: 'last-month', label: 'Last month' },
  { value: '30d', label: '30 days' },
  { value: '90d', label: '90 days' },
] as const;

export type Period = (typeof PERIODS)[number]['value'];

/** The days of a period in UTC: the first, and the first day after it. */
export function daysOf(period: Period, now = new Date()): { from: string; to: string } {
  /** A day of a month: both count on from this one. */
  const day = (months: number, date: number) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, date)).toISOString().slice(0, 10);
  const today = now.getUTCDate();
  switch (period) {
    case 'month':
      return { from: day(0, 1), to: day(0, today + 1) };
    case 'last-month':
      return { from: day(-1, 1), to: day(0, 1) };
    default:
      return { from: day(0, today + 1 - Number.parseInt(period)), to: day(0, today + 1) };
  }
}
