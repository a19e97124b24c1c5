import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** The SHA-256 of the file at a path, or of a stream, in hexadecimal digits. */
export async function hashFile(file: string | Readable): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(typeof file === 'string' ? createReadStream(file) : file, hash);
  return hash.digest('hex');
}
