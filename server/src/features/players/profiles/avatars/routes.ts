import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { abortSignalOf } from '../../../../http/abort-signal.ts';
import { FORM_BODY_LIMIT } from '../../../../http/bodies/body-limits.ts';
import { clientAddress } from '../../../../http/client-address.ts';
import { acceptForms, type Form } from '../../../../http/bodies/form.ts';
import { playerOf, reporterOf } from '../../../../http/request-context.ts';
import { problems } from '../../../../http/schemas.ts';
import type { AcquireSlots } from '../../../../processes/concurrency-slots.ts';
import { invalidField, ProblemError } from '../../../../core/problem.ts';
import { UploadAvatarRequest, AvatarPath, AvatarResult } from './schemas.ts';
import { AVATAR_PATH, type AvatarStore } from './avatar-store.ts';
import type { ChangeBudgets } from '../change-budgets.ts';
import { uploadAvatar, type AvatarServices } from './upload-avatar.ts';

const tags = ['Player profile'];

const MAX_UPLOAD_BYTES = 2 * 1024 * 1024;

interface UploadServices extends AvatarServices, ChangeBudgets {
  acquireSlots: AcquireSlots;
}

/** The upload. The credential is a player's access token. */
export function avatarUploadRoutes(services: UploadServices): FastifyPluginAsyncTypebox {
  return async (app) => {
    const readForm = await acceptForms(app, MAX_UPLOAD_BYTES);

    app.post(
      '/api/player-profile/me/avatar',
      {
        bodyLimit: FORM_BODY_LIMIT,
        config: { cost: 30 },
        schema: {
          operationId: 'uploadAvatar',
          tags,
          summary: 'Upload an avatar',
          description:
            'Accepts a PNG or JPG of at most 2 MiB, 16.7 megapixels (4096 × 4096), and 16,384 pixels per side. The server encodes the ' +
            'image again: upright, at most 512 × 512 pixels, without metadata. Each upload gets a new URL, which becomes the profile’s `avatarUrl`. The previous ' +
            'image is removed. A player can have one upload in progress. For the ' +
            'rate limit, an upload counts as 30 requests.',
          consumes: ['multipart/form-data'],
          body: UploadAvatarRequest,
          response: { 200: AvatarResult, ...problems(503) },
        },
      },
      async (request) => {
        const caller = playerOf(request);
        // A second upload of the same player is refused, because decoding is expensive.
        const release = await services.acquireSlots([
          { owner: `avatar uploads ${caller.playerId}`, limit: 1 },
        ]);
        if (typeof release === 'number')
          throw new ProblemError('busy', {
            detail:
              'Another avatar upload of this player is in progress. Retry after the number of seconds in Retry-After.',
            retryAfter: 5,
          });
        try {
          const file = avatarFile(await readForm(request));
          return await uploadAvatar(
            services,
            { ...caller, ipAddress: clientAddress(request) },
            file,
            reporterOf(request),
          );
        } finally {
          release();
        }
      },
    );
  };
}

/** The single file of the field avatarFile. Other fields are ignored. */
function avatarFile(form: Form): Buffer {
  const [file, ...more] = form.files.filter(({ field }) => field === 'avatarFile');
  if (!file || more.length > 0)
    throw invalidField(
      'avatarFile',
      'must be one file',
      'The form must contain exactly one file in the field avatarFile.',
    );
  if (file.isTooLarge) throw new ProblemError('avatar_too_large');
  return file.bytes;
}

/** Serves the images without a credential, because browsers show them on pages of other sites. */
export function avatarRoutes({ avatars }: { avatars: AvatarStore }): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      `${AVATAR_PATH}:name`,
      {
        schema: {
          operationId: 'getAvatar',
          tags,
          summary: 'Get an avatar image',
          description:
            'Returns an uploaded image. Use the `avatarUrl` of a profile. The image of a URL never changes, so clients can cache it ' +
            'for one year.',
          params: AvatarPath,
          response: {
            200: {
              description: 'The image.',
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
        const avatar = await avatars.read(request.params.name, abortSignalOf(reply));
        if (!avatar) throw new ProblemError('not_found', 'The image does not exist.');
        return (
          reply
            .type(avatar.type)
            // A name is never reused for another image.
            .header('cache-control', 'public, max-age=31536000, immutable')
            // If a browser interprets the image as a document, no script in it runs.
            .header('content-security-policy', "default-src 'none'; sandbox")
            .header('cross-origin-resource-policy', 'cross-origin')
            .send(avatar.bytes as never)
        );
      },
    );
  };
}
