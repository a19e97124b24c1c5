import multipart from '@fastify/multipart';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { playerOf, reporterOf } from '../../http/request-context.ts';
import { problems } from '../../http/schemas.ts';
import { Problem } from '../../shared/problem.ts';
import { AVATAR_PATH, type AvatarStore } from './avatars/avatar-store.ts';
import type { ProfileServices } from './change-profile.ts';
import { openGate } from './gate.ts';
import { AvatarForm, AvatarPath, AvatarResult } from './schemas.ts';
import { uploadAvatar } from './upload-avatar.ts';

const tags = ['Player profile'];

/** 2 MB (spec: limits), as a computer counts. */
const LARGEST_UPLOAD = 2 * 1024 * 1024;
/** Each holds up to 2 MiB while it arrives. */
const UPLOADS_AT_ONCE = 64;

/** Behind a player's token. */
export function avatarUploadRoutes(services: ProfileServices): FastifyPluginAsyncTypebox {
  const gate = openGate('Another upload is on its way.', UPLOADS_AT_ONCE);
  return async (app) => {
    // Forms alone: JSON would else be read, and then refused as a form.
    app.removeAllContentTypeParsers();
    await app.register(multipart, {
      throwFileSizeLimit: false,
      limits: { fileSize: LARGEST_UPLOAD, files: 2, fields: 16, fieldSize: 1024, parts: 20 },
    });

    app.post(
      '/api/player-profile/me/avatar',
      {
        // The form is read by the handler, so there is no body to validate yet.
        validatorCompiler: () => () => true,
        schema: {
          operationId: 'uploadAvatar',
          tags,
          summary: 'Upload an avatar',
          description:
            'A PNG or JPG of at most 2 MiB and 4096 × 4096 pixels. It is made anew: upright, at most 512 pixels wide and ' +
            'high, without metadata. Its address is new with every upload, and becomes the profile’s `avatarUrl`.',
          consumes: ['multipart/form-data'],
          body: AvatarForm,
          response: { 200: AvatarResult, ...problems(503) },
        },
      },
      async (request) => {
        const { playerId } = playerOf(request);
        const leave = gate.enter(playerId);
        try {
          return await uploadAvatar(services, playerId, await readAvatarFile(request), reporterOf(request));
        } finally {
          leave();
        }
      },
    );
  };
}

/** The one file of the field avatarFile; other fields are ignored. */
async function readAvatarFile(request: FastifyRequest): Promise<Buffer> {
  if (!request.isMultipart())
    throw new Problem('unsupported_media_type', 'Send a form (multipart/form-data).');
  const files: { bytes: Buffer; isTooLarge: boolean }[] = [];
  try {
    for await (const part of request.parts()) {
      if (part.type !== 'file') continue;
      // Every file is read to its end, for the form goes on behind it. What is over the limit is not kept.
      if (part.fieldname !== 'avatarFile') part.file.resume();
      else files.push({ bytes: await part.toBuffer(), isTooLarge: part.file.truncated });
    }
  } catch {
    throw new Problem('invalid_request', 'The form cannot be read.');
  }
  const [file, ...more] = files;
  if (!file || more.length > 0)
    throw new Problem('invalid_request', {
      detail: 'The form must hold one file, in the field avatarFile.',
      members: { errors: [{ path: 'avatarFile', message: 'must be one file' }] },
    });
  if (file.isTooLarge) throw new Problem('avatar_too_large', `A picture may have ${LARGEST_UPLOAD} bytes.`);
  return file.bytes;
}

/** For everybody: a browser shows them on other sites' pages. */
export function avatarRoutes(avatars: AvatarStore): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      `${AVATAR_PATH}:name`,
      {
        schema: {
          operationId: 'readAvatar',
          tags,
          summary: 'A picture that was uploaded',
          params: AvatarPath,
          response: {
            200: {
              description: 'The picture.',
              content: {
                'image/png': { schema: Type.String({ format: 'binary' }) },
                'image/jpeg': { schema: Type.String({ format: 'binary' }) },
              },
            },
            ...problems(503),
          },
        },
      },
      async (request, reply) => {
        const avatar = await avatars.read(request.params.name);
        if (!avatar) throw new Problem('not_found', 'There is no such picture.');
        return (
          reply
            .type(avatar.type)
            // A name is never used for another picture.
            .header('cache-control', 'public, max-age=31536000, immutable')
            // Whatever somebody may get a browser to see in it, nothing in it runs.
            .header('content-security-policy', "default-src 'none'; sandbox")
            .header('cross-origin-resource-policy', 'cross-origin')
            .send(Buffer.from(avatar.bytes) as never)
        );
      },
    );
  };
}
