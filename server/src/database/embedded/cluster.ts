import { chown, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { OperatorError } from '../../core/operator-error.ts';
import { refuseDuringRestore } from './cluster-draft.ts';
import { clusterIn } from './data-folder.ts';
import { ProgramError, type Programs } from './programs.ts';

/**
 * The role that Guildhall logs in as. It owns the database and creates the application's roles. It is not a superuser,
 * so it cannot read files or run programs. Nobody can log in as the superuser. REPLICATION is for backups.
 */
export const LOGIN_ROLE = 'guildhall';
const LOGIN_ROLE_ATTRIBUTES = 'LOGIN CREATEDB CREATEROLE BYPASSRLS REPLICATION';

/**
 * PostgreSQL does not log the errors that it returns to Guildhall, which logs those that matter. Each repeated batch and each request above
 * a hard stop causes one, and nobody rotates the log: 300 such requests per second would write 4 GB a day.
 */
const LOGIN_ROLE_LOG = "log_min_messages = 'log'";

/** The major version of the binaries. PostgreSQL cannot read the files of another one. */
const MAJOR_VERSION = '18';

/**
 * Creates the cluster of a data folder if it is missing: in a temporary folder that is renamed, so that a crash leaves no partial
 * cluster. Throws {@link OperatorError} if it is of another version, or cannot be created, and during a restore.
 */
export async function createCluster(programs: Programs, folder: string): Promise<void> {
  const cluster = clusterIn(folder);
  const existing = (await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch(() => '')).trim();
  if (existing) return checkMajorVersion(cluster, existing);
  const draft = await mkdtemp(join(folder, 'new-cluster-'));
  try {
    await refuseDuringRestore(folder);
    if (programs.owner) await chown(draft, programs.owner.uid, programs.owner.gid);
    await programs.run('initdb', [
      '-D',
      draft,
      '-U',
      'postgres',
      '-A',
      'peer',
      '-E',
      'UTF8',
      '--locale=C.UTF-8',
      '--locale-provider=builtin',
      '--data-checksums',
    ]);
    await programs.run(
      'postgres',
      ['--single', '-D', draft, 'postgres'],
      `CREATE ROLE ${LOGIN_ROLE} ${LOGIN_ROLE_ATTRIBUTES}\nALTER ROLE ${LOGIN_ROLE} SET ${LOGIN_ROLE_LOG}\n`,
    );
    await rename(draft, cluster);
  } catch (error) {
    const createdByAnother = await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch(() => undefined);
    if (createdByAnother) return;
    if (error instanceof OperatorError) throw error;
    const stderr = error instanceof ProgramError ? error.stderr : '';
    // The lines after the first error of initdb are its consequences.
    const [, reason = (error as Error).message] = /(?:FATAL|PANIC|ERROR|error):\s+(.+)/.exec(stderr) ?? [];
    throw new OperatorError(`PostgreSQL could not create its files in DATA_DIR (${folder}): ${reason}`, {
      cause: error,
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

function checkMajorVersion(cluster: string, version: string): void {
  if (version !== MAJOR_VERSION)
    throw new OperatorError(
      `${cluster} was created by PostgreSQL ${version}, but this version of Guildhall contains PostgreSQL ${MAJOR_VERSION}. Use the version of Guildhall that created it, or follow "Upgrade PostgreSQL" in docs/backup.md.`,
    );
}

/** Lets root and the current system user log in as the one role, on the socket only. */
export async function writeAuthentication(cluster: string): Promise<void> {
  const users = new Set(['root', userInfo().username]);
  const map = [...users].map((user) => `guildhall "${user}" ${LOGIN_ROLE}\n`).join('');
  await writeFile(join(cluster, 'pg_ident.conf'), map);
  await writeFile(join(cluster, 'pg_hba.conf'), `local all,replication ${LOGIN_ROLE} peer map=guildhall\n`);
}
