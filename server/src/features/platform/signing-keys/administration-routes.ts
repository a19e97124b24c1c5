import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { Database } from '../../../database/database.ts';
import { authorOf } from '../../../http/request-context.ts';
import { Guid, Nullable, OneOf, problems, Timestamp } from '../../../http/schemas.ts';
import type { Vault } from '../../../security/vault.ts';
import { describeSigningKeys, rotateByRequest, signingKeyStates } from './administer-keys.ts';
import { MAX_ACTIVATION_SECONDS } from './rotate-keys.ts';

const tags = ['Administration'];

const SigningKeys = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        {
          kid: Guid,
          state: OneOf(signingKeyStates, {
            title: 'SigningKeyState',
            description:
              'waiting: signs later. signing: signs now. verifying: its tokens are still accepted.',
          }),
          activeFrom: Timestamp,
          retiresAt: Nullable({
            ...Timestamp,
            description: 'When its tokens are refused. Null: the key has no successor.',
          }),
        },
        { title: 'SigningKey' },
      ),
    ),
  },
  { title: 'SigningKeyList' },
);

const RotateBody = Type.Object(
  {
    activateInSeconds: Type.Integer({
      minimum: 0,
      maximum: MAX_ACTIVATION_SECONDS,
      default: 600,
      description:
        'How long the new key is published before it signs, so that services that verify tokens know it. At most 7 days. Ignored ' +
        'with `revokeOld`.',
    }),
    revokeOld: Type.Boolean({
      default: false,
      description:
        'After a leak: the new key signs at once, and all access tokens in use are refused, including that of the caller.',
    }),
  },
  { title: 'RotateSigningKeysRequest' },
);

const Rotation = Type.Object(
  {
    kid: Guid,
    activeFrom: Timestamp,
    oldRetireAt: Type.String({ ...Timestamp, description: 'When the tokens of the old keys are refused.' }),
  },
  { title: 'SigningKeyRotation' },
);

/** The keys that sign access tokens. The endpoints require a platform administrator. */
export function signingKeyRoutes(services: { database: Database; vault: Vault }): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/admin/signing-keys',
      {
        schema: {
          operationId: 'listSigningKeys',
          tags,
          summary: 'List signing keys',
          description: 'Returns the keys whose access tokens are accepted, newest first.',
          response: { 200: SigningKeys },
        },
      },
      async () => ({ items: await describeSigningKeys(services.database) }),
    );

    app.post(
      '/api/admin/signing-keys/rotate',
      {
        schema: {
          operationId: 'rotateSigningKeys',
          tags,
          summary: 'Rotate the signing keys',
          description:
            'Creates the next signing key. The old keys stay valid until their last token has expired, so no token is refused. If a ' +
            'new key is waiting already, the response is 409 `conflict`. The same as `guildhall keys rotate`.',
          body: RotateBody,
          response: { 201: Rotation, ...problems(409) },
        },
      },
      async (request, reply) => {
        reply.code(201);
        return rotateByRequest(services, authorOf(request), request.body);
      },
    );
  };
}
