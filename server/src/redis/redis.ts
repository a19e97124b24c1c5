import { Redis } from 'ioredis';
import { Gauge, type Registry } from 'prom-client';

export type { Redis };

/**
 * A Redis that is silent for longer, while something was asked of it, is away: the connection is given up, and with it
 * whatever waits, which is requests. On the same network an answer takes less than a millisecond.
 */
const SILENCE_MS = 500;

/** The longest pause between two attempts to reach it again. */
const RECONNECT_MS = 500;

interface Log {
  info(message: string): void;
  warn(details: object, message: string): void;
}

/**
 * Opens the connection to Redis, which processes of one deployment count in together. While it is away, or connected but
 * not answering, every command fails at once, and it is looked for again and again: nothing that must not be lost may be
 * kept there, and whoever uses it can do without.
 */
export function openRedis(url: string, logger: Log): Redis {
  const redis = new Redis(url, {
    connectionName: 'guildhall',
    socketTimeout: SILENCE_MS,
    connectTimeout: 2_000,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    // Whoever waited for them has gone on without.
    autoResendUnfulfilledCommands: false,
    retryStrategy: (attempt) => Math.min(attempt * 50, RECONNECT_MS),
  });
  let away = false;
  redis.on('error', ({ message }) => {
    if (!away)
      logger.warn({ reason: message }, 'Redis is away: this process counts for itself until it is back');
    away = true;
  });
  redis.on('ready', () => {
    if (away) logger.info('Redis is back');
    away = false;
  });
  return redis;
}

/** Shows in the metrics whether Redis is there. */
export function measureRedis(redis: Redis, registry: Registry): void {
  const up: Gauge = new Gauge({
    name: 'guildhall_redis_up',
    help: 'Whether Redis is connected and answers: 1, or 0 while this process counts for itself.',
    registers: [],
    collect: () => up.set(isThere(redis) ? 1 : 0),
  });
  registry.registerMetric(up);
}

/** Whether a command would be sent. Asking first saves the making of an error for each request while it is away. */
export function isThere(redis: Redis): boolean {
  return redis.status === 'ready';
}
