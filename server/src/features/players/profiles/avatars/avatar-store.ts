import { randomBytes } from 'node:crypto';
import { ProblemError } from '../../../../core/problem.ts';
import {
  isMissingObject,
  keyOf,
  openObjectStorage,
  type ObjectStorage,
} from '../../../../outbound/object-storage.ts';
import type { RenderedAvatar } from './render-avatar.ts';

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
export async function openAvatarStore(storage: ObjectStorage, publicUrl: string): Promise<AvatarStore> {
  const disk = await openObjectStorage(storage, { requestTimeout: 3_000 });
  const base = publicUrl + AVATAR_PATH;

  return {
    async add({ bytes, extension }) {
      const name = `${randomBytes(16).toString('hex')}.${extension}`;
      const contentType = mediaTypes[extension]!;
      await mapFailure(disk.put(keyOf(storage, name), bytes, { contentType }));
      return name;
    },
    async read(name) {
      if (!NAME.test(name)) return undefined;
      const bytes = await mapFailure(
        disk.getBytes(keyOf(storage, name)).catch((error: unknown) => {
          if (isMissingObject(error)) return undefined;
          throw error;
        }),
      );
      return bytes && { bytes, type: mediaTypes[name.slice(-3)]! };
    },
    remove: (name) => mapFailure(disk.delete(keyOf(storage, name))),
    urlOf: (name) => base + name,
    isOwnUrl: (url) => url.startsWith(base) && NAME.test(url.slice(base.length)),
  };
}

async function mapFailure<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    const { cause = error } = error as Error;
    throw new ProblemError('avatar_storage_unavailable', { retryAfter: 5 }, { cause });
  }
}
