import { finished, type Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import { Disk } from 'flydrive';
import { FSDriver } from 'flydrive/drivers/fs';

/** A local folder. */
interface FolderStorage {
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

/** When an attempt of a request to a bucket fails, in milliseconds. */
interface BucketTimeouts {
  /** The time until the headers of the response. */
  requestTimeout?: number;
  /** The time without received data. */
  socketTimeout?: number;
  /**
   * The time until the headers of the response, and again until its end, if no bytes were sent. Each {@link SLOWEST_BYTES_PER_MS} take
   * a millisecond more. So a bucket that sends or takes one byte after another holds no connection for ever.
   */
  transferTimeout: number;
}

/** 64 KB/s. */
const SLOWEST_BYTES_PER_MS = 64;

/** Opens a storage. The first request to it is sent with the first object. */
export async function openObjectStorage(storage: ObjectStorage, timeouts: BucketTimeouts): Promise<Disk> {
  return new Disk(
    storage.kind === 's3'
      ? await createS3Driver(storage, timeouts)
      : new FSDriver({ location: storage.path, visibility: 'private' }),
  );
}

/** The key of an object with a name. */
export const objectKey = (storage: ObjectStorage, name: string): string =>
  storage.kind === 's3' && storage.prefix !== '' ? `${storage.prefix}/${name}` : name;

async function createS3Driver(storage: BucketStorage, timeouts: BucketTimeouts) {
  const { S3Driver } = await import('flydrive/drivers/s3');
  const client = await createBucketClient(storage, timeouts);
  return new S3Driver({ client, bucket: storage.bucket, visibility: 'private', supportsACL: false });
}

/** Imports the S3 client on demand, because it takes 200 ms and 20 MB to load. */
export async function createBucketClient(
  { region, endpoint }: BucketStorage,
  { transferTimeout, ...timeouts }: BucketTimeouts,
): Promise<S3Client> {
  const { S3Client } = await import('@aws-sdk/client-s3');
  const client = new S3Client({
    region,
    ...(endpoint && { endpoint, forcePathStyle: true }),
    // Many S3-compatible servers do not support the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 2,
    requestHandler: { connectionTimeout: 1_000, throwOnRequestTimeout: true, ...timeouts },
  });
  endSlowTransfers(client, transferTimeout);
  return client;
}

/** Ends requests and responses that take too long for their size. Each byte restarts the timeouts of the client. */
function endSlowTransfers({ config: { requestHandler } }: S3Client, transferTimeout: number): void {
  const handle = requestHandler.handle.bind(requestHandler);
  const afterTimeFor = (headers: Record<string, string>, end: () => void): NodeJS.Timeout =>
    setTimeout(end, transferTimeout + Number(headers['content-length'] ?? 0) / SLOWEST_BYTES_PER_MS);

  requestHandler.handle = async (request, options = {}) => {
    const slow = new AbortController();
    const sending = afterTimeFor(request.headers, () => slow.abort());
    const { abortSignal: ofCaller } = options as { abortSignal?: AbortSignal };
    const abortSignal = AbortSignal.any(ofCaller ? [ofCaller, slow.signal] : [slow.signal]);
    const output = await handle(request, { ...options, abortSignal }).finally(() => clearTimeout(sending));
    const body = output.response.body as Readable;
    const receiving = afterTimeFor(output.response.headers, () =>
      body.destroy(new Error('The response takes too long for its size.')),
    );
    finished(body, () => clearTimeout(receiving));
    return output;
  };
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
