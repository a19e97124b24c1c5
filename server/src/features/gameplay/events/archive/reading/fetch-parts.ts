import { join } from 'node:path';
import { pathExists } from '../../../../../core/path-exists.ts';
import { untilAborted } from '../../../../../core/concurrency/until-aborted.ts';
import { ArchiveStorageError } from '../parts/archive-bucket.ts';
import { partFolder, type StoredPart } from '../parts/archive-files.ts';
import type { Archive } from '../parts/archive.ts';
import { DuckdbTimeoutError } from '../duckdb/duckdb.ts';
import type { ReadLimits } from './read-limits.ts';

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
