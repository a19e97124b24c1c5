import { pause, type Api } from './api.ts';
import { createTally, type Tally } from './tally.ts';
import { World, type SimulationSettings } from './world.ts';

const TICK_MS = 50;

/**
 * Simulates players who sign in, play matches, send events, make mistakes and log out, until the duration has passed or `stop`
 * is aborted. Then it ends all matches and logs all players out. `tally` is updated all the time.
 * Throws {@link SimulationError} if the server refuses the key or does not respond any more.
 */
export async function simulate(
  api: Api,
  settings: SimulationSettings,
  stop: AbortController,
  tally = createTally(),
): Promise<Tally> {
  const world = new World(api, settings, stop, tally);
  const started = performance.now();
  const { durationMs, spikeEveryMs } = settings;
  let nextSpikeMs = spikeEveryMs ?? Infinity;
  let before = 0;
  while (!stop.signal.aborted && tally.elapsedMs < durationMs) {
    await pause(TICK_MS, stop.signal);
    const now = Math.min(performance.now() - started, durationMs);
    Object.assign(tally, { elapsedMs: now, requests: api.requests(), isPaused: api.isPaused() });
    tally.intensity = eveningCurve(now / durationMs);
    if (!tally.isPaused) world.advance(now, now - before);
    before = now;
    if (spikeEveryMs !== undefined && now >= nextSpikeMs && !tally.isSpiking && tally.online > 0) {
      nextSpikeMs = now + spikeEveryMs;
      world.startSpike();
    }
  }
  stop.abort();
  await world.finish();
  Object.assign(tally, { requests: api.requests(), elapsedMs: performance.now() - started, isPaused: false });
  return tally;
}

/** Traffic over an evening, from 0 to 1: it begins at 0.3, is highest after 70 % of the time, and then falls to 0.5. */
export function eveningCurve(part: number): number {
  return 0.3 + 0.7 * Math.exp(-(((part - 0.7) / 0.28) ** 2));
}
