import { readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';

/** Another process may be about to open a file that was used within this time, so it stays. */
const IN_USE_MS = 2 * 60_000;
/** A fetch of several files may take longer than {@link IN_USE_MS}. It marks the files that are here this often, until all are here. */
export const MARKING_INTERVAL_MS = 30_000;
/** After this time, the files are counted again, because other processes use the folder too. */
const COUNT_AGE_MS = 60_000;
/** How much of the limit stays after files were deleted. So a full folder is not read for each download. */
const KEPT_SHARE = 0.9;

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

/** Creates a function that makes room for a file. It returns whether there is room now. */
export function createRoomMaker(root: string, limit: number): (needed: number) => Promise<boolean> {
  let bytes = 0;
  let countedAt = -Infinity;
  return async (needed) => {
    if (bytes + needed > limit || performance.now() - countedAt > COUNT_AGE_MS) {
      bytes = await deleteLeastRecent(root, needed, limit);
      countedAt = performance.now();
    }
    bytes += needed;
    return bytes <= limit;
  };
}

/**
 * Deletes the files that were used least recently, if all of them and `needed` more bytes are beyond the limit. Returns how many bytes the
 * others have.
 */
export async function deleteLeastRecent(root: string, needed: number, limit: number): Promise<number> {
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
  let total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total + needed <= limit) return total;
  const leastRecent = files.toSorted((a, b) => a.usedAt - b.usedAt);
  for (const { path, bytes, usedAt } of leastRecent) {
    if (total + needed <= limit * KEPT_SHARE || Date.now() - usedAt < IN_USE_MS) break;
    await rm(path, { force: true });
    total -= bytes;
  }
  return total;
}
