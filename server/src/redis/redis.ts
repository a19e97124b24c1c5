import { Redis } from 'ioredis';
import type { FastifyBaseLogger } from 'fastify';

export type { Redis };

/**
 * A command that takes longer has failed: who waits for it is a request, and each of its callers can do without Redis. On the
 * same network one takes less than a millisecond.
 */
const COMMAND_TIMEOUT_MS = 250;

/** The longest pause between two attempts to reach it again. */
const RECONNECT_MS = 500;

/**
 * Opens the connection to Redis, which processes of one deployment count in together. While it is away every command fails at
 * once, and it is looked for again and again: nothing that must not be lost may be kept there.
 */
export function openRedis(url: string, logger: Pick<FastifyBaseLogger, 'info' | 'warn'>): Redis {
  const redis = new Redis(url, {
    connectionName: 'guildhall',
    commandTimeout: COMMAND_TIMEOUT_MS,
    connectTimeout: 2_000,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
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
