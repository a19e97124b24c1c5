import pg from 'pg';

/** Our statements need these settings. The role or the database may have other defaults (`ALTER ROLE … SET …`). */
const SESSION = {
  default_transaction_isolation: 'read\\ committed',
  search_path: 'public',
  row_security: 'on',
  datestyle: 'ISO',
  standard_conforming_strings: 'on',
  // A migration, the archive and a process that waits for them take longer than requests.
  statement_timeout: '0',
  lock_timeout: '0',
  idle_session_timeout: '0',
  // If the machine of a process disappears, PostgreSQL ends its sessions after a minute, and so frees their locks. The default is 2 hours.
  tcp_keepalives_idle: '30',
  tcp_keepalives_interval: '10',
  tcp_keepalives_count: '3',
};

/** The options of a connection with our statements, as PostgreSQL's `-c` arguments. Every connection passes them. */
export function sessionOptions(settings: Record<string, string> = {}): string {
  return Object.entries({ ...SESSION, ...settings })
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
}

/**
 * For connections without a limit of their statements: the system probes an idle connection after 30 seconds. So a statement fails within
 * a minute if the host of PostgreSQL has disappeared. By default, the system waits for two hours.
 */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 30_000 };

/** Creates a connection that belongs to no pool. Its caller opens and ends it. If it is lost, its current or next statement fails. */
export function createClient(url: string, config: pg.ClientConfig = {}): pg.Client {
  const client = new pg.Client({
    connectionString: url,
    options: sessionOptions(),
    connectionTimeoutMillis: 10_000,
    ...KEEP_ALIVE,
    ...config,
  });
  // Between two statements pg emits the loss of a connection as an event. Without a listener it would end the process.
  client.on('error', () => {});
  return client;
}

/** Opens a connection of its own for `work`, and closes it afterwards. */
export async function withClient<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
  config?: pg.ClientConfig,
): Promise<Result> {
  const client = createClient(url, config);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Runs `work` in a transaction of a connection. */
export async function inTransaction<Result>(
  client: pg.ClientBase,
  work: () => Promise<Result>,
): Promise<Result> {
  await client.query('BEGIN');
  try {
    const result = await work();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}
