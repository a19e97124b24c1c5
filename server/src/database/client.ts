import pg from 'pg';

/**
 * For connections without a limit of their statements: the system probes an idle connection after 30 seconds. So a statement fails within
 * a minute if the host of PostgreSQL has disappeared. By default, the system waits for two hours.
 */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 30_000 };

/**
 * Opens a connection of its own for `work`, and closes it afterwards. If the connection is lost, the current or the next statement of
 * `work` fails.
 */
export async function withClient<Result>(
  config: pg.ClientConfig,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ ...KEEP_ALIVE, connectionTimeoutMillis: 10_000, ...config });
  // Between two statements pg emits the loss of a connection as an event. Without a listener it would end the process.
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
