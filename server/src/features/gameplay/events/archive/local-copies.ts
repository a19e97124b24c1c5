import { readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';

/** Another process may be about to open a file that was used within this time, so it stays. */
const IN_USE_MS = 2 * 60_000;

/** Whether a file is here and has its size. Marks it as used. */
export async function markUsed(path: string, bytes: number): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  if (found?.size !== bytes) return false;
  const now = new Date();
  // Another process may have deleted the file meanwhile.
  return utimes(path, now, now).then(
    () => true,
    () => false,
  );
}

/** Deletes the files that were used least recently, until there is room for `needed` bytes. Returns whether there is. */
export async function deleteLeastRecent(root: string, needed: number, limit: number): Promise<boolean> {
  const files: { path: string; bytes: number; usedAt: number }[] = [];
  const names = await readdir(root, { recursive: true }).catch(() => []);
  for (const name of names) {
    // Parts that are being written.
    if (name.includes('.tmp')) continue;
    const path = join(root, name);
    const found = await stat(path).catch(() => undefined);
    if (!found?.isFile()) continue;
    // After the clock was set back, a time is in the future, and says nothing. The time of a new file may be a millisecond ahead.
    const isKnown = found.mtimeMs < Date.now() + IN_USE_MS;
    files.push({ path, bytes: found.size, usedAt: isKnown ? found.mtimeMs : 0 });
  }
  let room = limit - files.reduce((sum, { bytes }) => sum + bytes, 0);
  const leastRecent = files.toSorted((a, b) => a.usedAt - b.usedAt);
  for (const { path, bytes, usedAt } of leastRecent) {
    if (room >= needed || Date.now() - usedAt < IN_USE_MS) break;
    await rm(path, { force: true });
    room += bytes;
  }
  return room >= needed;
}
