import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Log } from '../core/log.ts';
import { createClient } from './client.ts';
import { streamOf } from './packets.ts';

/** The tables whose changes are sent to server processes, because processes cache their rows or wait for them. */
export type WatchedTable =
  | 'workspaces'
  | 'tenants'
  | 'tenant_keys'
  | 'provider_settings'
  | 'memberships'
  | 'signing_keys'
  | 'event_definitions'
  | 'account_sessions'
  | 'notifications';

/**
 * Its argument is the id of the tenant (keys, settings and definitions), of the account (memberships and notifications) or of the
 * changed row. It is undefined if changes may have been missed. Then the listener must invalidate the whole table.
 */
type Listener = (id: string | undefined) => void;

/** Notifies this process when a transaction of any process has changed a watched row. */
export interface ChangeFeed {
  on(table: WatchedTable, listener: Listener): void;
  close(): Promise<void>;
}

const RECONNECT_MS = 500;

/**
 * A connection to an unreachable server still looks open. A heartbeat runs every 2 seconds. Without a response within
 * 2.5 seconds the connection is replaced, so a change is noticed after at most 5 seconds.
 */
const HEARTBEAT_MS = 2000;
const HEARTBEAT_TIMEOUT_MS = 2500;
/** How often everything is invalidated while there is no connection. */
const INVALIDATE_EVERY_MS = 1000;

/** Listens for changes on its own connection, and reconnects until it is closed. Logs a line after each outage. */
export async function openChangeFeed(url: string, log: Log<'info'>): Promise<ChangeFeed> {
  const listeners = new Map<string, Listener[]>();
  let closed = false;
  let client: pg.Client;

  const connect = async (): Promise<void> => {
    client = createClient(url, {
      application_name: 'guildhall change feed',
      query_timeout: HEARTBEAT_TIMEOUT_MS,
    });
    const connection = client;
    client.on('notification', ({ payload = '' }) => {
      const [table = '', id] = payload.split(' ');
      for (const listener of listeners.get(table) ?? []) listener(id || undefined);
    });
    try {
      await client.connect();
      await client.query('LISTEN guildhall_changes');
    } catch (error) {
      cutOff(client);
      throw error;
    }
    const heartbeat = setInterval(() => {
      connection.query('SELECT 1').catch(() => cutOff(connection));
    }, HEARTBEAT_MS).unref();
    // Registered only now: a connection that failed to open also emits `end`, and would start a second reconnect loop.
    client.once('end', () => {
      clearInterval(heartbeat);
      void reconnect();
    });
    if (closed) await client.end();
  };

  const invalidateAll = (): void => {
    for (const listener of [...listeners.values()].flat()) listener(undefined);
  };

  const reconnect = async (): Promise<void> => {
    if (closed) return;
    const lostAt = performance.now();
    // An attempt may take 10 seconds. Meanwhile caches fill again, and no notifications arrive.
    const invalidating = setInterval(invalidateAll, INVALIDATE_EVERY_MS).unref();
    while (!closed) {
      invalidateAll();
      try {
        await connect();
        // Notifications from the time without a connection are lost.
        invalidateAll();
        // Requests log their errors during the outage. Nothing else says when it has ended.
        if (!closed)
          log.info(
            { outageSeconds: Math.round((performance.now() - lostAt) / 1000) },
            'the database can be reached again',
          );
        break;
      } catch {
        await sleep(RECONNECT_MS);
      }
    }
    clearInterval(invalidating);
  };

  await connect();
  return {
    on(table, listener) {
      listeners.set(table, [...(listeners.get(table) ?? []), listener]);
    },
    async close() {
      closed = true;
      await client.end();
    },
  };
}

/** Destroys the socket, because an unreachable server does not answer a graceful close. */
function cutOff(client: pg.Client): void {
  streamOf(client).destroy();
}
