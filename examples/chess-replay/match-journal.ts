import { mkdir, open, readFile, truncate } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Side } from './read-games.ts';

/** Which match a game became, and which roster entry each of its players. */
export interface ReplayedMatch {
  gameId: string;
  matchSessionId: string;
  matchPlayerIds: Record<Side, string>;
}

/** Remembers, over runs, which match each game became: the API cannot be asked for the match of a game. */
export interface MatchJournal {
  find(gameId: string): ReplayedMatch | undefined;
  /** Writes a match down, and waits until it is on disk. */
  add(match: ReplayedMatch): Promise<void>;
  close(): Promise<void>;
}

/** Opens the journal in a file of one JSON object a line. A last line that a crash cut short counts as not written. */
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
      // One line after the other: games are played in parallel.
      written = written.then(() => file.appendFile(`${JSON.stringify(match)}\n`));
      await written;
      await file.datasync();
    },
    close: () => file.close(),
  };
}
