import type { Redis } from 'ioredis';
import type { Registry } from 'prom-client';
import { addGauge } from '../core/add-gauge.ts';
import type { Log } from '../core/log.ts';

export type { Redis };

/**
 * Redis counts as unavailable if a command waits longer. Then the connection and all waiting commands fail. On the same network a
 * response takes less than 1 ms.
 */
const TIMEOUT_MS = 500;

/** The longest pause between two attempts to reconnect. */
const MAX_RECONNECT_MS = 500;

/**
 * Opens the connection to Redis. The processes of one deployment share counters there. While Redis is unavailable,
 * every command fails at once and the client reconnects in the background. Store nothing in Redis that must not be
 * lost, and let every user work without it.
 */
export async function openRedis(url: string, logger: Log<'info' | 'warn'>): Promise<Redis> {
  // Most servers have no Redis. To load the library takes 17 ms of processor time.
  const { Redis } = await import('ioredis');
  const redis = new Redis(url, {
    connectionName: 'guildhall',
    connectTimeout: 2_000,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    // The callers of these commands have continued without Redis.
    autoResendUnfulfilledCommands: false,
    reconnectOnError({ message }) {
      // After a failover this connection may still lead to the old primary, now a replica.
      if (!message.includes('READONLY')) return false;
      logger.warn({ reason: message }, 'Redis is a replica: the connection is opened again');
      return true;
    },
    retryStrategy: (attempt) => Math.min(attempt * 50, MAX_RECONNECT_MS),
  });
  const send = redis.sendCommand.bind(redis);
  redis.sendCommand = (command, stream) => {
    let isWaiting = true;
    // Without the connection, all other waiting commands fail too. Otherwise each would wait for its own timeout.
    const giveUp = (): void => {
      if (isWaiting) redis.stream.destroy(new Error('Command timed out'));
    };
    // If this process was busy for so long, the response may have arrived, and is read before the immediate runs. The timeouts of
    // the library would fail such a command.
    const timer = setTimeout(() => setImmediate(giveUp), TIMEOUT_MS);
    const settle = (): void => {
      isWaiting = false;
      clearTimeout(timer);
    };
    command.promise.then(settle, settle);
    return send(command, stream);
  };
  let isUnavailable = false;
  redis.on('error', ({ message }) => {
    // The library would go on in database 0, which may be the one of another deployment.
    if (message.includes('DB index')) {
      isUnavailable = true;
      logger.warn(
        { setting: 'REDIS_URL', reason: message },
        'Redis does not have the database that REDIS_URL names: each server counts on its own. Correct the number',
      );
      redis.disconnect();
      return;
    }
    if (!isUnavailable)
      logger.warn(
        { setting: 'REDIS_URL', reason: message },
        'Redis is unavailable: each server counts on its own until it is back',
      );
    isUnavailable = true;
  });
  redis.on('ready', () => {
    if (isUnavailable) logger.info({}, 'Redis is available again');
    isUnavailable = false;
    void redis.info('server').then(
      (server) => {
        if (!server.includes('redis_mode:cluster')) return;
        logger.warn(
          { setting: 'REDIS_URL' },
          'A Redis Cluster is not supported: each server counts on its own. Use a single Redis',
        );
        redis.disconnect();
      },
      () => {},
    );
  });
  return redis;
}

/** Adds a metric that shows whether Redis is available. */
export function measureRedis(redis: Redis, registry: Registry): void {
  addGauge(
    registry,
    {
      name: 'guildhall_redis_up',
      help: '1 if Redis is available, 0 while this server counts on its own.',
    },
    () =>
      requireWritable(redis).then(
        () => 1,
        () => 0,
      ),
  );
}

/** Throws if Redis cannot count. It writes a key, because a full Redis and a replica answer all other commands. */
export async function requireWritable(redis: Redis): Promise<void> {
  await redis.set('guildhall:health', '', 'EX', 60);
}

/**
 * Whether Redis is connected. Checking first is cheaper than creating an error for each request while it is
 * unavailable.
 */
export function isRedisReady(redis: Redis): boolean {
  return redis.status === 'ready';
}
