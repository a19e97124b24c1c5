import { execFile, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { OperatorError } from '../../core/operator-error.ts';

const execute = promisify(execFile);

/** Waits until a tar runs. Throws {@link OperatorError} if it is not installed. */
export async function started<Tar extends ChildProcess>(tar: Tar): Promise<Tar> {
  await once(tar, 'spawn').catch(cannotStart);
  return tar;
}

/** Whether the installed tar is that of GNU. Throws {@link OperatorError} if there is none. */
export async function isGnuTar(): Promise<boolean> {
  const { stdout } = await execute('tar', ['--version']).catch(cannotStart);
  return stdout.includes('GNU tar');
}

function cannotStart(cause: Error): never {
  throw new OperatorError(
    `A backup needs the program tar, which cannot be started (${cause.message}). Install it.`,
    { cause },
  );
}
