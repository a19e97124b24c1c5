import { randomBytes } from 'node:crypto';
import { addAbortSignal } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { ProblemError } from '../../../../core/problem.ts';
import type { ReportError } from '../../../../core/report-error.ts';
import { within } from '../../../../core/concurrency/within.ts';
import { requireWritableFolder } from '../../../../core/writable-folder.ts';
import {
  isMissingObject,
  objectKey,
  openObjectStorage,
  type ObjectStorage,
} from '../../../../outbound/object-storage.ts';
import type { RenderedAvatar } from './render-avatar.ts';

/** Stores avatar images under random names of 128 bits. A name is never reused. */
export interface AvatarStore {
  /** Stores an image and returns its new name. Throws avatar_storage_unavailable. */
  add(avatar: RenderedAvatar): Promise<string>;
  /**
   * Returns an image and its media type, or undefined if the name is unknown. Ends when the signal is aborted. Throws
   * avatar_storage_unavailable.
   */
  read(name: string, signal: AbortSignal): Promise<{ bytes: Buffer; type: string } | undefined>;
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

/** An attempt fails without an answer or without data for 3 seconds. The client of S3 makes two. */
const TIMEOUTS_MS = { requestTimeout: 3_000, socketTimeout: 3_000, transferTimeout: 5_000 };
/** The time limit of both attempts and the whole image. A bucket that sends one byte at a time never reaches the other limits. */
const TOTAL_MS = 10_000;

/**
 * Opens the storage that the operator has configured. Throws OperatorError if this process cannot write to its folder. The first
 * request to a bucket is sent with the first image.
 */
export async function openAvatarStore(storage: ObjectStorage, publicUrl: string): Promise<AvatarStore> {
  if (storage.kind === 'folder') await requireWritableFolder('AVATAR_STORAGE_URL', storage.path);
  const disk = await openObjectStorage(storage, TIMEOUTS_MS);
  const base = publicUrl + AVATAR_PATH;

  return {
    async add({ bytes, extension }) {
      const name = `${randomBytes(16).toString('hex')}.${extension}`;
      const contentType = mediaTypes[extension]!;
      const key = objectKey(storage, name);
      try {
        await mapFailure(disk.put(key, bytes, { contentType }));
      } catch (error) {
        // The storage may have stored the image, or a part of it, although the request failed. Nothing else would remove it.
        void disk.delete(key).catch(() => {});
        throw error;
      }
      return name;
    },
    async read(name, signal) {
      if (!NAME.test(name)) return undefined;
      const ended = AbortSignal.any([signal, AbortSignal.timeout(TOTAL_MS)]);
      const readImage = async (): Promise<Buffer | undefined> => {
        try {
          return await buffer(addAbortSignal(ended, await disk.getStream(objectKey(storage, name))));
        } catch (error) {
          if (isMissingObject(error)) return undefined;
          throw error;
        }
      };
      const bytes = await mapFailure(readImage());
      return bytes && { bytes, type: mediaTypes[name.slice(-3)]! };
    },
    remove: (name) => mapFailure(disk.delete(objectKey(storage, name))),
    urlOf: (name) => base + name,
    isOwnUrl: (url) => url.startsWith(base) && NAME.test(url.slice(base.length)),
  };
}

/** Removes an image that no profile uses. A failure is logged and leaves the image in the storage. */
export async function removeAvatar(
  avatars: AvatarStore,
  name: string | null,
  report: ReportError,
): Promise<void> {
  if (name === null) return;
  await avatars
    .remove(name)
    .catch((error: unknown) => report(error, `could not remove the unused avatar ${name}`));
}

async function mapFailure<Result>(work: Promise<Result>): Promise<Result> {
  try {
    const done = await within(
      TOTAL_MS,
      work.then((result) => ({ result })),
    );
    if (!done) throw new Error(`The storage did not finish within ${TOTAL_MS} ms.`);
    return done.result;
  } catch (error) {
    const { cause = error } = error as Error;
    throw new ProblemError('avatar_storage_unavailable', { retryAfter: 5 }, { cause });
  }
}
