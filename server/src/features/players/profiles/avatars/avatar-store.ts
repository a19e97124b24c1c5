import { randomBytes } from 'node:crypto';
import { Disk } from 'flydrive';
import { FSDriver } from 'flydrive/drivers/fs';
import { ProblemError } from '../../../../core/problem.ts';
import type { RenderedAvatar } from './render-avatar.ts';

/** A local folder, or a bucket of S3 or of an S3-compatible server. */
export type AvatarStorage =
  | { kind: 'folder'; path: string }
  | { kind: 's3'; bucket: string; prefix: string; region: string; endpoint: string | undefined };

/** Stores avatar images under random names of 128 bits. A name is never reused. */
export interface AvatarStore {
  /** Stores an image and returns its new name. Throws avatar_storage_unavailable. */
  add(avatar: RenderedAvatar): Promise<string>;
  /** Returns an image and its media type, or undefined if the name is unknown. Throws avatar_storage_unavailable. */
  read(name: string): Promise<{ bytes: Uint8Array; type: string } | undefined>;
  /** Removes an image. Throws avatar_storage_unavailable. */
  remove(name: string): Promise<void>;
  /** The public URL of a stored image. */
  urlOf(name: string): string;
  /** Whether a URL has the form of {@link urlOf}. Does not check that the image exists. */
  isOwnUrl(url: string): boolean;
}

const NAME = /^[0-9a-f]{32}\.(png|jpg)$/;
const mediaTypes: Record<string, string> = { png: 'image/png', jpg: 'image/jpeg' };

/** The path of the images, below the server's public URL. */
export const AVATAR_PATH = '/avatars/';

/** Opens the storage that the operator has configured. The first request to it is sent with the first image. */
export async function openAvatarStore(storage: AvatarStorage, publicUrl: string): Promise<AvatarStore> {
  const disk = new Disk(
    storage.kind === 's3' ? await createS3Driver(storage) : createFolderDriver(storage.path),
  );
  const keyOf = (name: string): string =>
    storage.kind === 's3' && storage.prefix !== '' ? `${storage.prefix}/${name}` : name;
  const base = publicUrl + AVATAR_PATH;

  return {
    async add({ bytes, extension }) {
      const name = `${randomBytes(16).toString('hex')}.${extension}`;
      const contentType = mediaTypes[extension]!;
      await mapFailure(disk.put(keyOf(name), bytes, { contentType }));
      return name;
    },
    async read(name) {
      if (!NAME.test(name)) return undefined;
      const bytes = await mapFailure(
        disk.getBytes(keyOf(name)).catch((error: unknown) => {
          if (isMissing(error)) return undefined;
          throw error;
        }),
      );
      return bytes && { bytes, type: mediaTypes[name.slice(-3)]! };
    },
    remove: (name) => mapFailure(disk.delete(keyOf(name))),
    urlOf: (name) => base + name,
    isOwnUrl: (url) => url.startsWith(base) && NAME.test(url.slice(base.length)),
  };
}

function createFolderDriver(location: string): FSDriver {
  return new FSDriver({ location, visibility: 'private' });
}

/** Imports the S3 client on demand, because it takes 200 ms and 20 MB to load. */
async function createS3Driver({ bucket, region, endpoint }: Extract<AvatarStorage, { kind: 's3' }>) {
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
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true },
  });
}

function isMissing(error: unknown): boolean {
  const { code, name, $metadata } = ((error as Error).cause ?? {}) as {
    code?: string;
    name?: string;
    $metadata?: { httpStatusCode?: number };
  };
  return code === 'ENOENT' || name === 'NoSuchKey' || $metadata?.httpStatusCode === 404;
}

async function mapFailure<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    const { cause = error } = error as Error;
    throw new ProblemError('avatar_storage_unavailable', { headers: { 'retry-after': '5' } }, { cause });
  }
}
