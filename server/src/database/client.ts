import pg from 'pg';

/**
 * Opens a connection of its own for `work`, and closes it afterwards. If the connection is lost, the current or the next statement of
 * `work` fails.
 */
export async function withClient<Result>(
  config: pg.ClientConfig,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client(config);
  // Between two statements pg emits the loss of a connection as an event. Without a listener it would end the process.
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
