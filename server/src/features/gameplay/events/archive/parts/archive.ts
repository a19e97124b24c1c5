import { join } from 'node:path';
import type { BucketStorage } from '../../../../../outbound/object-storage.ts';
import { createArchiveBucket, type ArchiveBucket } from './archive-bucket.ts';
import { listPartFolders, type PartRef } from './archive-files.ts';
import { createDuckdb, type Duckdb } from '../duckdb/duckdb.ts';

/** Where events are archived, and what writes the files. */
export interface Archive {
  /** The folder of the archive. With a bucket, it has copies of those parts that were used last. */
  root: string;
  /** If undefined, the parts are in the folder only. */
  bucket?: ArchiveBucket | undefined;
  duckdb: Duckdb;
  /** The most rows of a part. Default: 10 million. */
  rowsOfPart?: number | undefined;
}

/** The settings of the archive. */
export interface ArchiveSettings {
  archiveDir: string;
  archiveBucket: BucketStorage | undefined;
  archiveCacheBytes: number;
}

/** Opens the archive that the operator has configured. Sends no request, and starts no process. */
export function openArchive({ archiveDir, archiveBucket, archiveCacheBytes }: ArchiveSettings): Archive {
  const duckdb = createDuckdb();
  if (!archiveBucket) return { root: archiveDir, duckdb };
  // Copies are deleted to make room. In archiveDir itself may be the only files of an archive that had no bucket before.
  const root = join(archiveDir, COPIES_FOLDER);
  return { root, bucket: createArchiveBucket(archiveBucket, root, archiveCacheBytes), duckdb };
}

/** The subfolder with local copies of bucket objects. */
const COPIES_FOLDER = 'copies';

/** The parts of a tenant that have files in the bucket, or without one in the folder. */
export const listStoredParts = ({ root, bucket }: Archive, tenantId: string): Promise<PartRef[]> =>
  bucket ? bucket.listParts(tenantId) : listPartFolders(root, tenantId);
