import { randomBytes } from 'node:crypto';
import { link, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorError } from '../core/operator-error.ts';
import { pathExists } from '../core/path-exists.ts';
import { createFolder } from '../core/writable-folder.ts';

/** The master key of the settings, or else of the data folder. Undefined if there is none. */
export async function readMasterKey({
  masterKey,
  dataDir,
}: {
  masterKey: Buffer | undefined;
  dataDir: string;
}): Promise<Buffer | undefined> {
  if (masterKey) return masterKey;
  const path = pathIn(dataDir);
  return (await pathExists(path)) ? readKey(path) : undefined;
}

/** Creates a master key in the data folder, readable only by its owner, and returns it. */
export async function createMasterKey(dataDir: string): Promise<Buffer> {
  await createFolder(dataDir);
  const path = pathIn(dataDir);
  await createKey(path);
  return readKey(path);
}

const pathIn = (dataDir: string): string => join(dataDir, 'master.key');

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
