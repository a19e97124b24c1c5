import { randomBytes } from 'node:crypto';
import { access, link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Reads the master key that belongs to a data folder, or makes one there, readable by its owner alone. */
export async function keptMasterKey(dataDir: string): Promise<Buffer> {
  const path = join(dataDir, 'master.key');
  await mkdir(dataDir, { recursive: true });
  if (!(await exists(path))) await makeKey(path);
  const text = (await readFile(path, 'utf8')).trim();
  if (!/^[0-9a-f]{64}$/.test(text)) {
    throw new Error(`${path} does not hold a master key (64 hexadecimal digits). Restore it from a backup.`);
  }
  return Buffer.from(text, 'hex');
}

/** Writes the key aside and links it to its place: a crash leaves all of it there, or nothing, and a second start finds the first one's. */
async function makeKey(path: string): Promise<void> {
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
