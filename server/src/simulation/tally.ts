/** The counts of a simulation. */
export interface Tally {
  players: Set<string>;
  newPlayers: number;
  signIns: number;
  refusedSignIns: number;
  online: number;
  matches: number;
  endedMatches: number;
  accepted: number;
  refused: number;
  repeated: number;
  spikes: number;
  /** The part of the busiest moment, from 0 to 1. */
  intensity: number;
  isSpiking: boolean;
  isPaused: boolean;
  requests: number;
  elapsedMs: number;
  /** Reasons of refusals, and how often each occurred. At most {@link MAX_REASONS} are kept. */
  reasons: Map<string, number>;
}

const MAX_REASONS = 50;

export function createTally(): Tally {
  return {
    players: new Set(),
    newPlayers: 0,
    signIns: 0,
    refusedSignIns: 0,
    online: 0,
    matches: 0,
    endedMatches: 0,
    accepted: 0,
    refused: 0,
    repeated: 0,
    spikes: 0,
    intensity: 0,
    isSpiking: false,
    isPaused: false,
    requests: 0,
    elapsedMs: 0,
    reasons: new Map(),
  };
}

/** Counts one refusal by its status and reason. */
export function countReason({ reasons }: Tally, status: number, reason: string): void {
  const text = `${status} ${reason}`.slice(0, 160);
  if (reasons.has(text) || reasons.size < MAX_REASONS) reasons.set(text, (reasons.get(text) ?? 0) + 1);
}

/** One line that shows how the simulation goes. `perSecond` is the current rate of stored events. */
export function progressLine(tally: Tally, durationMs: number, perSecond: number): string {
  return [
    `${clock(tally.elapsedMs)} of ${clock(durationMs)}`,
    `evening ${Math.round(tally.intensity * 100)} %`,
    `${show(tally.online)} online`,
    `${show(tally.matches - tally.endedMatches)} matches`,
    `${perSecond.toFixed(1)} events/s`,
    `${show(tally.accepted)} stored`,
    `${show(tally.refused)} refused`,
    ...(tally.isSpiking ? ['SPIKE'] : []),
    ...(tally.isPaused ? ['waits: rate limit'] : []),
  ].join(' | ');
}

/** The lines of the summary. */
export function summary(tally: Tally): string {
  const rows = [
    ['players', tally.players.size, `${show(tally.newPlayers)} new`],
    ['sign-ins', tally.signIns, `${show(tally.refusedSignIns)} refused`],
    ['matches', tally.matches, `${show(tally.endedMatches)} ended`],
    ['events', tally.accepted, `${show(tally.refused)} refused, ${show(tally.repeated)} sent again`],
    ['spikes', tally.spikes, ''],
    [
      'requests',
      tally.requests,
      `${(tally.requests / Math.max(tally.elapsedMs / 1000, 1)).toFixed(1)} a second`,
    ],
  ] as const;
  const lines = rows.map(([name, count, note]) =>
    `${name.padEnd(10)}${show(count).padStart(10)}   ${note}`.trimEnd(),
  );
  const reasons = [...tally.reasons].toSorted(([, a], [, b]) => b - a).slice(0, 6);
  return [
    `The simulation ended after ${clock(tally.elapsedMs)}.`,
    ...lines,
    ...(reasons.length > 0 ? ['Refused:'] : []),
    ...reasons.map(([reason, count]) => `${show(count).padStart(10)} × ${reason}`),
  ].join('\n');
}

function clock(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const tail = `${String(minutes).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}`;
  return hours > 0 ? `${hours}:${tail}` : tail;
}

function show(count: number): string {
  return count.toLocaleString('en');
}
