import type { Socket } from 'node:net';
import pg from 'pg';

/** The tables whose changes server processes are told of: those with rows that they remember, or wait for. */
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

/** Calls back when another transaction, of any process, has changed a watched row. */
export interface ChangeFeed {
  /**
   * `id` names what changed: the tenant of keys, settings and definitions, the account of memberships and notifications, the
   * row itself else. It is undefined where changes may have been missed: then everything of the table is to be forgotten.
   */
  on(table: WatchedTable, invalidate: (id: string | undefined) => void): void;
  close(): Promise<void>;
}

const RECONNECT_MS = 500;

/**
 * A connection whose peer is gone without a word still looks open. So it is asked for an answer every 2 s, and is replaced if
 * none comes within 2.5 s: what changes is known after 5 s at most.
 */
const HEARTBEAT_MS = 2000;
const ANSWER_WITHIN_MS = 2500;
/** While there is no connection, everything is invalidated this often. */
const INVALIDATE_MS = 1000;

/** Listens for changes with a connection of its own, and reconnects for as long as it is open. */
export async function openChangeFeed(url: string): Promise<ChangeFeed> {
  const listeners = new Map<string, ((id: string | undefined) => void)[]>();
  let closed = false;
  let client: pg.Client;

  const connect = async (): Promise<void> => {
    client = new pg.Client({
      connectionString: url,
      application_name: 'guildhall change feed',
      keepAlive: true,
      connectionTimeoutMillis: 10_000,
      query_timeout: ANSWER_WITHIN_MS,
    });
    const connection = client;
    client.on('notification', ({ payload = '' }) => {
      const [table = '', id] = payload.split(' ');
      for (const forget of listeners.get(table) ?? []) forget(id || undefined);
    });
    client.on('error', () => {});
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
    // From here on only: a connection that was never made ends too, and would start a second chain of attempts.
    client.once('end', () => {
      clearInterval(heartbeat);
      void reconnect();
    });
    if (closed) await client.end();
  };

  const reconnect = async (): Promise<void> => {
    if (closed) return;
    // An attempt may wait 10 s for an answer. Meanwhile caches are filled again, and nobody tells of changes.
    const invalidating = setInterval(() => invalidateAll(listeners), INVALIDATE_MS).unref();
    while (!closed) {
      invalidateAll(listeners);
      try {
        await connect();
        // What changed while nobody listened is not told again.
        invalidateAll(listeners);
        break;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
      }
    }
    clearInterval(invalidating);
  };

  await connect();
  return {
    on(table, forget) {
      listeners.set(table, [...(listeners.get(table) ?? []), forget]);
    },
    async close() {
      closed = true;
      await client.end();
    },
  };
}

/** Ends a connection at once: a peer that is gone does not answer a goodbye. */
function cutOff(client: pg.Client): void {
  (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
}

function invalidateAll(listeners: Map<string, ((id: string | undefined) => void)[]>): void {
  for (const forget of [...listeners.values()].flat()) forget(undefined);
}
