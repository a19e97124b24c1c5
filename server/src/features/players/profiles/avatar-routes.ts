import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { FORM_BODY_LIMIT } from '../../../http/body-limits.ts';
import { acceptForms, type Form } from '../../../http/form.ts';
import { playerOf, reporterOf } from '../../../http/request-context.ts';
import { problems } from '../../../http/schemas.ts';
import { invalidField, ProblemError } from '../../../core/problem.ts';
import { AVATAR_PATH, type AvatarStore } from './avatars/avatar-store.ts';
import type { ProfileServices } from './profile-services.ts';
import { createSemaphore } from './semaphore.ts';
import { AvatarForm, AvatarPath, AvatarResult } from './schemas.ts';
import { uploadAvatar } from './upload-avatar.ts';

const tags = ['Player profile'];

/** 2 MB (spec: limits), as a computer counts. */
const LARGEST_UPLOAD = 2 * 1024 * 1024;

/** Behind a player's token. */
export function avatarUploadRoutes(services: ProfileServices): FastifyPluginAsyncTypebox {
  const gate = createSemaphore('Another upload is on its way.');
  return async (app) => {
    const readForm = await acceptForms(app, LARGEST_UPLOAD);

    app.post(
      '/api/player-profile/me/avatar',
      {
        bodyLimit: FORM_BODY_LIMIT,
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
          return await uploadAvatar(
            services,
            playerId,
            avatarFile(await readForm(request)),
            reporterOf(request),
          );
        } finally {
          leave();
        }
      },
    );
  };
}

/** The one file of the field avatarFile; other fields are ignored. */
function avatarFile(form: Form): Buffer {
  const [file, ...more] = form.files.filter(({ field }) => field === 'avatarFile');
  if (!file || more.length > 0)
    throw invalidField(
      'avatarFile',
      'must be one file',
      'The form must hold one file, in the field avatarFile.',
    );
  if (file.isTooLarge) throw new ProblemError('avatar_too_large');
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
        if (!avatar) throw new ProblemError('not_found', 'The image does not exist.');
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
