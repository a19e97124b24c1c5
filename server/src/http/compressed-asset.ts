import type { FastifyReply, FastifyRequest } from 'fastify';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** A file that is sent compressed, with an ETag. */
export interface CompressedAsset {
  /** The beginning of the SHA-256 of the content, for a path that changes with the content. */
  hash: string;
  content: Buffer;
  /** Sends the file in an encoding that the client accepts, or 304 if the client has it already. */
  send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
}

type Encoding = 'br' | 'gzip' | 'identity';

const compressors: Record<Encoding, (content: Buffer) => Promise<Buffer>> = {
  // Level 6 takes 0.1 s for 4 MB. The best level takes 8 s and saves another 15 %.
  br: (content) =>
    promisify(brotliCompress)(content, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 6 },
    }),
  gzip: (content) => promisify(gzip)(content),
  identity: async (content) => content,
};

/** Creates an asset. Each encoding is made once, at its first request. */
export function createCompressedAsset(content: Buffer, type: string, cacheControl: string): CompressedAsset {
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 16);
  const encoded = new Map<Encoding, Promise<Buffer>>();

  return {
    hash,
    content,
    async send(request, reply) {
      const encoding = acceptedEncoding(request.headers['accept-encoding']);
      const etag = `"${hash}-${encoding}"`;
      reply.headers({ etag, 'cache-control': cacheControl, vary: 'accept-encoding' });
      if (request.headers['if-none-match']?.split(/\s*,\s*/).includes(etag)) return reply.code(304).send();
      let body = encoded.get(encoding);
      if (!body) encoded.set(encoding, (body = compressors[encoding](content)));
      if (encoding !== 'identity') reply.header('content-encoding', encoding);
      return reply.type(type).send(await body);
    },
  };
}

/** The best encoding that the header names without refusing it (`q=0`). */
function acceptedEncoding(header: string | string[] | undefined): Encoding {
  const accepted = String(header ?? '')
    .split(',')
    .map((part) => part.trim().toLowerCase())
    .filter((part) => !/;\s*q=0(\.0*)?$/.test(part))
    .map((part) => part.split(';')[0]);
  return (['br', 'gzip'] as const).find((encoding) => accepted.includes(encoding)) ?? 'identity';
}
