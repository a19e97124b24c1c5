import { randomBytes } from 'node:crypto';
import { access, link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorError } from '../core/operator-error.ts';

/** Reads the master key of a data folder. Creates it if it is missing, readable only by its owner. */
export async function readOrCreateMasterKey(dataDir: string): Promise<Buffer> {
  const path = join(dataDir, 'master.key');
  await mkdir(dataDir, { recursive: true });
  if (!(await exists(path))) await createKey(path);
  const text = (await readFile(path, 'utf8')).trim();
  if (!/^[0-9a-f]{64}$/.test(text)) {
    throw new OperatorError(
      `${path} does not contain a master key (64 hexadecimal digits). Restore it from a backup, or set MASTER_KEY.`,
    );
  }
  return Buffer.from(text, 'hex');
}

/**
 * Writes the key to a temporary file and links it, so that a crash leaves a whole key or none. If two processes start,
 * both use the first key.
 */
async function createKey(path: string): Promise<void> {
  const draft = `${path}.${process.pid}`;
  const file = await open(draft, 'w', 0o600);
  await file.writeFile(`${randomBytes(32).toString('hex')}\n`);
  await file.sync();
  await file.close();
  try {
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(draft);
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
