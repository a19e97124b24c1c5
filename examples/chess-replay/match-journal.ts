import { mkdir, open, readFile, truncate } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Side } from './read-games.ts';

/** The match of a game, and the match players of its two sides. */
export interface ReplayedMatch {
  gameId: string;
  matchSessionId: string;
  matchPlayerIds: Record<Side, string>;
}

/** Records the match of each game across runs, because the API cannot find a match by game. */
export interface MatchJournal {
  find(gameId: string): ReplayedMatch | undefined;
  /** Records a match and waits until it is on disk. */
  add(match: ReplayedMatch): Promise<void>;
  close(): Promise<void>;
}

/** Opens a journal file with one JSON object per line. Removes an incomplete last line, which a crash has left. */
export async function openJournal(path: string): Promise<MatchJournal> {
  await mkdir(dirname(path), { recursive: true });
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  });
  const whole = bytes.subarray(0, bytes.lastIndexOf('\n') + 1);
  if (whole.length < bytes.length) await truncate(path, whole.length);

  const matches = new Map<string, ReplayedMatch>();
  for (const line of whole.toString('utf8').split('\n').filter(Boolean)) {
    const match = JSON.parse(line) as ReplayedMatch;
    matches.set(match.gameId, match);
  }
  const file = await open(path, 'a');
  let written = Promise.resolve();
  return {
    find: (gameId) => matches.get(gameId),
    async add(match) {
      matches.set(match.gameId, match);
      // One write at a time, because games are replayed in parallel.
      written = written.then(() => file.appendFile(`${JSON.stringify(match)}\n`));
      await written;
      await file.datasync();
    },
    close: () => file.close(),
  };
}
