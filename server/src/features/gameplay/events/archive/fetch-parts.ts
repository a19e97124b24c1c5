import { join } from 'node:path';
import { pathExists } from '../../../../core/path-exists.ts';
import { ProblemError } from '../../../../core/problem.ts';
import { untilAborted } from '../../../../core/concurrency/until-aborted.ts';
import { ArchiveStorageError, ArchiveTooLargeError } from './archive-bucket.ts';
import { partFolder, type StoredPart } from './archive-files.ts';
import type { Archive } from './archive.ts';
import { DuckdbError, DuckdbMissingError, DuckdbTimeoutError } from './duckdb.ts';

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

/**
 * Returns the paths of files of parts, after their download from the bucket if there is one. A download that has begun continues after
 * the time limit, so that the next reader finds the file. Throws {@link ArchiveStorageError} if a file is missing.
 */
export async function fetchParts(
  { root, bucket }: Archive,
  parts: StoredPart[],
  files: string[],
  { seconds, signal, mayExceedCache }: ReadLimits,
): Promise<string[]> {
  if (bucket && parts.length > 0) {
    signal?.throwIfAborted();
    const gone = new AbortController();
    const timer = setTimeout(
      () => gone.abort(new DuckdbTimeoutError('The bucket did not answer within the time limit.')),
      seconds * 1000,
    );
    const ended = AbortSignal.any(signal ? [signal, gone.signal] : [gone.signal]);
    try {
      await untilAborted(ended, bucket.fetch(parts, files, { signal: ended, mayExceedCache }));
    } finally {
      clearTimeout(timer);
      gone.abort();
    }
  }
  const paths = parts.flatMap((part) => files.map((file) => join(partFolder(root, part), file)));
  if (!bucket)
    for (const path of paths)
      if (!(await pathExists(path)))
        throw new ArchiveStorageError(
          `The archived file ${path} is missing. Set ARCHIVE_DIR to the folder in which the events are archived.`,
        );
  return paths;
}

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
