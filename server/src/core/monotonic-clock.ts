/** Milliseconds since 1970, by the system clock at the start of the process. A change of the system clock moves nothing. */
export function monotonicClock(): number {
  return Math.floor(performance.timeOrigin + performance.now());
}
