import pLimit from 'p-limit';
import type { default as Sharp } from 'sharp';
import { ProblemError } from '../../../../core/problem.ts';

/** A picture that we made ourselves: nothing of the upload is in it but what its pixels show. */
export interface RenderedAvatar {
  bytes: Buffer;
  extension: 'png' | 'jpg';
}

/** The longer side of what is kept. */
const LARGEST_SIDE = 512;
/** A picture of 2 MB may decode to gigabytes; of this many pixels it decodes to 64 MiB. */
const MOST_PIXELS = 4096 * 4096;

/**
 * Two at once keep half of libuv's four threads for hashing and files, and the memory of decoding under 128 MiB. Each takes
 * some 50 ms, so that sixteen wait less than a second.
 */
const IN_FLIGHT = 2;
const WAITING = 16;
const slots = pLimit(IN_FLIGHT);

let loaded: Promise<typeof Sharp> | undefined;

/** Its libraries take 50 ms and 15 MB to load, so nobody pays for them before the first picture. */
async function loadSharp(): Promise<typeof Sharp> {
  const { default: sharp } = await import('sharp');
  // Threads within one picture would multiply those above. Remembering pictures would help nobody.
  sharp.concurrency(1);
  sharp.cache(false);
  // The other formats are refused by their first bytes; here they could not be decoded either.
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: ['VipsForeignLoadJpeg', 'VipsForeignLoadPng'] });
  return sharp;
}

/**
 * Decodes a picture and makes it anew: upright, at most 512 pixels wide and high, its first frame alone, without metadata. A
 * PNG stays a PNG and a JPG a JPG. Throws avatar_type, avatar_unreadable, and busy where too many pictures wait.
 */
export async function renderAvatar(upload: Buffer): Promise<RenderedAvatar> {
  const extension = formatOf(upload);
  if (!extension) throw new ProblemError('avatar_type');
  if (slots.pendingCount >= WAITING)
    throw new ProblemError('busy', {
      detail: 'Too many images are waiting to be decoded. Retry after the number of seconds in Retry-After.',
      headers: { 'retry-after': '2' },
    });
  return slots(async () => ({ bytes: await render(upload, extension), extension }));
}

async function render(upload: Buffer, extension: RenderedAvatar['extension']): Promise<Buffer> {
  const sharp = await (loaded ??= loadSharp());
  const picture = sharp(upload, { limitInputPixels: MOST_PIXELS, failOn: 'error' })
    .timeout({ seconds: 10 })
    .autoOrient()
    .resize({ width: LARGEST_SIDE, height: LARGEST_SIDE, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb');
  const encoded = extension === 'png' ? picture.png() : picture.jpeg({ quality: 85 });
  try {
    return await encoded.toBuffer();
  } catch (error) {
    throw new ProblemError(
      'avatar_unreadable',
      `The image cannot be decoded: ${reasonOf(error)}. Send another one.`,
    );
  }
}

/** What the first bytes say, for names and declared types say anything. */
function formatOf(bytes: Buffer): RenderedAvatar['extension'] | undefined {
  if (bytes.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex'))) return 'png';
  if (bytes.subarray(0, 3).equals(Buffer.from('ffd8ff', 'hex'))) return 'jpg';
  return undefined;
}

function reasonOf(error: unknown): string {
  return /pixel limit/.test((error as Error).message)
    ? `it has more than ${MOST_PIXELS} pixels`
    : 'it is damaged or cut off';
}
