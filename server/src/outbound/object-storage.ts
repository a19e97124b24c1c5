import { Disk } from 'flydrive';
import { FSDriver } from 'flydrive/drivers/fs';

/** A local folder. */
export interface FolderStorage {
  kind: 'folder';
  path: string;
}

/** A bucket of S3 or of an S3-compatible server. */
export interface BucketStorage {
  kind: 's3';
  bucket: string;
  prefix: string;
  region: string;
  endpoint: string | undefined;
}

export type ObjectStorage = FolderStorage | BucketStorage;

/** When an attempt of a request to a bucket fails, in milliseconds. None of them limits the total time. */
export interface BucketTimeouts {
  /** The time until the headers of the response. */
  requestTimeout?: number;
  /** The time without received data. */
  socketTimeout?: number;
}

/** Opens a storage. The first request to it is sent with the first object. */
export async function openObjectStorage(storage: ObjectStorage, timeouts: BucketTimeouts): Promise<Disk> {
  return new Disk(
    storage.kind === 's3'
      ? await createS3Driver(storage, timeouts)
      : new FSDriver({ location: storage.path, visibility: 'private' }),
  );
}

/** The key of an object with a name. */
export const keyOf = (storage: ObjectStorage, name: string): string =>
  storage.kind === 's3' && storage.prefix !== '' ? `${storage.prefix}/${name}` : name;

/** Imports the S3 client on demand, because it takes 200 ms and 20 MB to load. */
async function createS3Driver({ bucket, region, endpoint }: BucketStorage, timeouts: BucketTimeouts) {
  const { S3Driver } = await import('flydrive/drivers/s3');
  return new S3Driver({
    bucket,
    region,
    visibility: 'private',
    supportsACL: false,
    ...(endpoint && { endpoint, forcePathStyle: true }),
    // Many S3-compatible servers do not support the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 2,
    requestHandler: { connectionTimeout: 1_000, throwOnRequestTimeout: true, ...timeouts },
  });
}

/** Whether an operation failed because the object does not exist. */
export function isMissingObject(error: unknown): boolean {
  // A stream of a folder reports its own error.
  const { code, name, $metadata } = ((error as Error).cause ?? error) as {
    code?: string;
    name?: string;
    $metadata?: { httpStatusCode?: number };
  };
  return code === 'ENOENT' || name === 'NoSuchKey' || $metadata?.httpStatusCode === 404;
}
