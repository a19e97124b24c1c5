/** Milliseconds since 1970, by the system clock at the start of the process. Changes of the system clock have no effect. */
export function monotonicClock(): number {
  return Math.floor(performance.timeOrigin + performance.now());
}
