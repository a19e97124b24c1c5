import { randomBytes } from 'node:crypto';
import { access, link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorError } from '../core/operator-error.ts';

/** The master key of the settings, or else of the data folder. Creates it there if it is missing, readable only by its owner. */
export async function openMasterKey({
  masterKey,
  dataDir,
}: {
  masterKey: Buffer | undefined;
  dataDir: string;
}): Promise<Buffer> {
  if (masterKey) return masterKey;
  await mkdir(dataDir, { recursive: true });
  const path = join(dataDir, 'master.key');
  if (!(await exists(path))) await createKey(path);
  return readKey(path);
}

/** Reads the master key of a data folder. Undefined if there is none. */
export async function readMasterKey(dataDir: string): Promise<Buffer | undefined> {
  const path = join(dataDir, 'master.key');
  return (await exists(path)) ? readKey(path) : undefined;
}

async function readKey(path: string): Promise<Buffer> {
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
