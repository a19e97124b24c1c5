import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Reads the master key that belongs to a data folder, or makes one there, readable by its owner alone. */
export async function keptMasterKey(dataDir: string): Promise<Buffer> {
  const path = join(dataDir, 'master.key');
  await mkdir(dataDir, { recursive: true });
  try {
    // `wx` and the sync make this safe against a second start and against a crash right after the first.
    const file = await open(path, 'wx', 0o600);
    await file.writeFile(`${randomBytes(32).toString('hex')}\n`);
    await file.sync();
    await file.close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const text = (await readFile(path, 'utf8')).trim();
  if (!/^[0-9a-f]{64}$/.test(text)) {
    throw new Error(`${path} does not hold a master key (64 hexadecimal digits). Restore it from a backup.`);
  }
  return Buffer.from(text, 'hex');
}
