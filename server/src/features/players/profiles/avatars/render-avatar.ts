import type { default as Sharp } from 'sharp';
import { siteOf } from '../../../../core/network.ts';
import { ProblemError } from '../../../../core/problem.ts';
import { createTurns } from '../../../../core/concurrency/turns.ts';

/** An image that Guildhall encoded itself. It keeps only the pixels of the upload. */
export interface RenderedAvatar {
  bytes: Buffer;
  extension: 'png' | 'jpg';
}

/** The longest side of a rendered avatar, in pixels. */
const MAX_SIDE = 512;
/** An upload of 2 MiB can decode to gigabytes. This number of pixels with 8 bits a channel decodes to at most 64 MiB. */
const MAX_PIXELS = 4096 * 4096;
const MAX_PIXELS_OF_16_BITS = MAX_PIXELS / 2;
/**
 * The longest side of an upload. sharp needs memory and time for long lines that the number of pixels does not limit: a line of 1,000,000
 * pixels, 16 times, took 1.3 GB and 10 s of processor time. With this limit, any image takes at most 100 MB and 0.9 s.
 */
const MAX_INPUT_SIDE = 16_384;

/**
 * Two images at once use half of libuv's four threads, and at most 200 MB for decoding. A usual image takes about 50 ms, so 16
 * waiting images take less than a second. Networks take turns: 18 players of one network could fill a queue for all.
 */
const MAX_CONCURRENT = 2;
const MAX_WAITING = 16;
const renderInTurn = createTurns(
  { running: MAX_CONCURRENT, runningPerOwner: MAX_CONCURRENT, waitingPerMember: MAX_WAITING },
  {
    detail:
      'Too many images of this network are waiting to be decoded. Retry after the number of seconds in Retry-After.',
    retryAfter: 2,
  },
);

let loaded: Promise<typeof Sharp> | undefined;

/** Imports sharp on demand, because it takes 50 ms and 15 MB to load. */
async function loadSharp(): Promise<typeof Sharp> {
  const { default: sharp } = await import('sharp');
  // One thread per image, so that MAX_CONCURRENT limits the threads. The cache is off, because each image is rendered once.
  sharp.concurrency(1);
  sharp.cache(false);
  // formatOf rejects other formats already. This is a second line of defense.
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: ['VipsForeignLoadJpeg', 'VipsForeignLoadPng'] });
  return sharp;
}

/**
 * Decodes an image and encodes it again: upright, at most 512 × 512 pixels, only the first frame, without metadata. The format
 * does not change. Throws avatar_type, avatar_unreadable, and busy if too many images of the network of the address wait.
 */
export async function renderAvatar(upload: Buffer, address: string | null): Promise<RenderedAvatar> {
  const extension = formatOf(upload);
  if (!extension) throw new ProblemError('avatar_type');
  return renderInTurn(siteOf(address), async () => ({ bytes: await render(upload, extension), extension }));
}

async function render(upload: Buffer, extension: RenderedAvatar['extension']): Promise<Buffer> {
  const sharp = await (loaded ??= loadSharp());
  const image = sharp(upload, { limitInputPixels: MAX_PIXELS, failOn: 'error' })
    .timeout({ seconds: 10 })
    .autoOrient()
    .resize({ width: MAX_SIDE, height: MAX_SIDE, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb');
  const encoded = extension === 'png' ? image.png() : image.jpeg({ quality: 85 });
  try {
    const { width, height, depth } = await image.metadata();
    const isTooLong = Math.max(width, height) > MAX_INPUT_SIDE;
    if (isTooLong || (depth === 'ushort' && width * height > MAX_PIXELS_OF_16_BITS))
      throw new Error('above the pixel limit');
    return await encoded.toBuffer();
  } catch (error) {
    throw new ProblemError(
      'avatar_unreadable',
      `The image cannot be decoded: ${reasonOf(error)}. Send another one.`,
    );
  }
}

/** Reads the format from the first bytes. File names and declared types are not reliable. */
function formatOf(bytes: Buffer): RenderedAvatar['extension'] | undefined {
  if (bytes.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex'))) return 'png';
  if (bytes.subarray(0, 3).equals(Buffer.from('ffd8ff', 'hex'))) return 'jpg';
  return undefined;
}

function reasonOf(error: unknown): string {
  return /pixel limit/.test((error as Error).message)
    ? `it has more than ${MAX_PIXELS} pixels, more than ${MAX_PIXELS_OF_16_BITS} with 16 bits per channel, or a side of more than ${MAX_INPUT_SIDE}`
    : 'it is damaged or incomplete';
}
