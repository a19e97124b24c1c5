import { ProblemError } from '../core/problem.ts';

/** Nearly all players have fewer rows. */
const FIRST_ROWS = 5_000;

/**
 * How many rows of a player a later statement changes. A player can have any number of them. On a slow disk, 20,000 sessions take 2.5
 * seconds, and a statement is cancelled after 10.
 */
const ROWS_AT_ONCE = 20_000;

let isChangingMany = false;

/**
 * Changes rows of a player in several statements, and returns their results. `change` changes at most `limit` rows that it has not changed
 * before. A process changes more than {@link FIRST_ROWS} rows for one caller at a time, because it takes minutes for a million: 16 such
 * players would occupy all connections. Throws busy.
 */
export async function changeInSteps<Result extends { rows: number }>(
  change: (limit: number) => Promise<Result>,
): Promise<Result[]> {
  const results = [await change(FIRST_ROWS)];
  if (results[0]!.rows < FIRST_ROWS) return results;
  if (isChangingMany)
    throw new ProblemError('busy', {
      detail:
        'Many sessions or tokens of another player are being changed. Retry after the number of seconds in Retry-After.',
      retryAfter: 10,
    });
  isChangingMany = true;
  try {
    do results.push(await change(ROWS_AT_ONCE));
    while (results.at(-1)!.rows === ROWS_AT_ONCE);
    return results;
  } finally {
    isChangingMany = false;
  }
}
