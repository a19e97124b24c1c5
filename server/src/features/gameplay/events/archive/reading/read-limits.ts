import { ProblemError } from '../../../../../core/problem.ts';
import { ArchiveStorageError, ArchiveTooLargeError } from '../parts/archive-bucket.ts';
import { DuckdbError, DuckdbMissingError, DuckdbTimeoutError } from '../duckdb/duckdb.ts';

/** The time of a read of the archive, and what ends it early. */
export interface ReadLimits {
  seconds: number;
  signal?: AbortSignal | undefined;
  /** Whether files are downloaded from a bucket even if there is no room for their copies. */
  mayExceedCache?: boolean | undefined;
}

/** The rest of a time limit that began at a time of performance.now(). More than 0, so that the next read can report the timeout. */
export const secondsLeft = (seconds: number, began: number): number =>
  Math.max(seconds - (performance.now() - began) / 1000, 0.001);

/** The answer of a query whose archived events have too many groups, or need too much memory. */
export const TOO_MANY_GROUPS =
  'The archived events of the range have too many groups. Ask for a shorter range, or for fewer groups.';

/** Creates the error for a query that was cancelled after its time limit. */
export function queryTimeout(seconds: number): ProblemError {
  return new ProblemError('query_timeout', {
    retryAfter: 5,
    detail: `The query took longer than ${seconds} seconds. Ask for a shorter range, or for fewer groups.`,
  });
}

/** Turns a failure of a read of the archive into what the client gets. */
export function asProblem(error: unknown, { seconds, signal }: ReadLimits): unknown {
  if (signal?.aborted) return error;
  if (error instanceof DuckdbTimeoutError) return queryTimeout(seconds);
  if (error instanceof DuckdbError && error.message.includes('Out of Memory'))
    return new ProblemError('invalid_request', TOO_MANY_GROUPS);
  if (error instanceof ArchiveTooLargeError)
    return new ProblemError('invalid_request', error.message, { cause: error });
  if (error instanceof ArchiveStorageError)
    return new ProblemError('archive_unavailable', { retryAfter: 30 }, { cause: error });
  if (error instanceof DuckdbError || error instanceof DuckdbMissingError)
    return new ProblemError('archive_unavailable', {}, { cause: error });
  return error;
}
