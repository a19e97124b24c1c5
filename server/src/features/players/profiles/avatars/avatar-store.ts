import { randomBytes } from 'node:crypto';
import { Disk } from 'flydrive';
import { FSDriver } from 'flydrive/drivers/fs';
import { ProblemError } from '../../../../core/problem.ts';
import type { RenderedAvatar } from './render-avatar.ts';

/** A folder, or a bucket of S3 or of something that speaks like it. */
export type AvatarStorage =
  | { kind: 'folder'; path: string }
  | { kind: 's3'; bucket: string; prefix: string; region: string; endpoint: string | undefined };

/** Keeps pictures under names that nobody can guess, and that are never used again. */
export interface AvatarStore {
  /** Keeps a picture and returns its new name. Throws avatar_storage_unavailable. */
  add(avatar: RenderedAvatar): Promise<string>;
  /** A picture and its media type; undefined where there is none of that name. Throws avatar_storage_unavailable. */
  read(name: string): Promise<{ bytes: Uint8Array; type: string } | undefined>;
  /** Removes a picture. Throws avatar_storage_unavailable. */
  remove(name: string): Promise<void>;
  /** The address under which clients find a picture. */
  urlOf(name: string): string;
  /** Whether an address has the form of one of ours. */
  isOurs(url: string): boolean;
}

const NAME = /^[0-9a-f]{32}\.(png|jpg)$/;
const mediaTypes: Record<string, string> = { png: 'image/png', jpg: 'image/jpeg' };

/** Where pictures are served, below the server's public address. */
export const AVATAR_PATH = '/avatars/';

/** Opens the storage that the operator has chosen. Nothing is asked of it before the first picture. */
export async function openAvatarStore(storage: AvatarStorage, publicUrl: string): Promise<AvatarStore> {
  const disk = new Disk(storage.kind === 's3' ? await s3Driver(storage) : folderDriver(storage.path));
  const keyOf = (name: string): string =>
    storage.kind === 's3' && storage.prefix !== '' ? `${storage.prefix}/${name}` : name;
  const base = publicUrl + AVATAR_PATH;

  return {
    async add({ bytes, extension }) {
      const name = `${randomBytes(16).toString('hex')}.${extension}`;
      const contentType = mediaTypes[extension]!;
      await available(disk.put(keyOf(name), bytes, { contentType }));
      return name;
    },
    async read(name) {
      if (!NAME.test(name)) return undefined;
      const bytes = await available(
        disk.getBytes(keyOf(name)).catch((error: unknown) => {
          if (isMissing(error)) return undefined;
          throw error;
        }),
      );
      return bytes && { bytes, type: mediaTypes[name.slice(-3)]! };
    },
    remove: (name) => available(disk.delete(keyOf(name))),
    urlOf: (name) => base + name,
    isOurs: (url) => url.startsWith(base) && NAME.test(url.slice(base.length)),
  };
}

function folderDriver(location: string): FSDriver {
  return new FSDriver({ location, visibility: 'private' });
}

/** Its libraries take 200 ms and 20 MB to load, so only who uses them pays for that. */
async function s3Driver({ bucket, region, endpoint }: Extract<AvatarStorage, { kind: 's3' }>) {
  const { S3Driver } = await import('flydrive/drivers/s3');
  return new S3Driver({
    bucket,
    region,
    visibility: 'private',
    supportsACL: false,
    ...(endpoint && { endpoint, forcePathStyle: true }),
    // The newer checksums are unknown to many a server that speaks like S3.
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

async function available<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    const { cause = error } = error as Error;
    throw new ProblemError('avatar_storage_unavailable', { headers: { 'retry-after': '5' } }, { cause });
  }
}
