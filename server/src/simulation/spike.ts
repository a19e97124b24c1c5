import { randomUUID } from 'node:crypto';
import { NO_MATCH, type Api } from './api.ts';
import type { OnlinePlayer } from './online-player.ts';

/** The traffic of a key within a minute at which it raises alerts. */
export interface AlertThresholds {
  requests: number;
  bytes: number;
}

/** The thresholds of a tenant that has not changed them. */
export const DEFAULT_THRESHOLDS: AlertThresholds = { requests: 60_000, bytes: 64 * 1024 * 1024 };

const MARGIN = 1.1;
const PARALLEL = 8;
const MAX_BODY_BYTES = 8 * 1024 * 1024;
/** A minute's window ends, so requests that take longer do not count together. */
const WITHIN_MS = 45_000;

/**
 * Exceeds both alert thresholds: a client looks the same match up in a loop, and another client sends its whole log with an
 * event. Ends early when the simulation stops.
 */
export async function raiseSpike(
  api: Api,
  player: OnlinePlayer,
  { requests, bytes }: AlertThresholds,
  stop: AbortSignal,
): Promise<void> {
  const until = performance.now() + WITHIN_MS;
  const isOver = (): boolean => stop.aborted || performance.now() > until;

  let requestsLeft = Math.ceil(requests * MARGIN);
  const loop = async (): Promise<void> => {
    while (requestsLeft-- > 0 && !isOver()) await api.sendOnce('GET', NO_MATCH);
  };

  const logBytes = Math.min(Math.ceil(bytes / 4), MAX_BODY_BYTES);
  let logsLeft = Math.ceil((bytes * MARGIN) / logBytes);
  const log = 'x'.repeat(logBytes);
  const sendLogs = async ({ session }: OnlinePlayer): Promise<void> => {
    while (logsLeft-- > 0 && !isOver())
      await api.sendOnce(
        'POST',
        '/api/game/player-events',
        logEvent(session.playerId, log),
        session.accessToken,
      );
  };

  await Promise.all([...Array.from({ length: PARALLEL }, loop), sendLogs(player)]);
}

function logEvent(playerId: string, log: string): string {
  const event = {
    playerId,
    eventKey: 'crash',
    idempotencyKey: randomUUID(),
    occurredAt: new Date().toISOString(),
  };
  return JSON.stringify({ events: [{ ...event, log }] });
}
