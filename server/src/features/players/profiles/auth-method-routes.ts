import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type, type Static } from 'typebox';
import { CREDENTIAL_BODY_LIMIT } from '../../../http/body-limits.ts';
import { reporterOf } from '../../../http/request-context.ts';
import { problems } from '../../../http/schemas.ts';
import { isGuid } from '../../../core/ids.ts';
import { ProblemError } from '../../../core/problem.ts';
import { applicantOf, credentialOf, ProofHeaders } from './applicant-of-routes.ts';
import { linkMethod } from './link-method.ts';
import { mergeProfiles, type MergeServices } from './merge-profiles.ts';
import {
  AuthMethod,
  AuthMethodPath,
  FullPlayerProfile,
  LinkBody,
  MergeBody,
  SetPrimaryBody,
} from './schemas.ts';
import { setPrimaryMethod } from './set-primary-method.ts';
import { unlinkMethod } from './unlink-method.ts';

const tags = ['Player profile'];
const METHODS = '/api/player-profile/me/auth-methods';
const METHOD = `${METHODS}/:authMethodId`;

/** Behind a player's token. */
export function authMethodRoutes(services: MergeServices): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      METHODS,
      {
        bodyLimit: CREDENTIAL_BODY_LIMIT,
        schema: {
          operationId: 'linkAuthMethod',
          tags,
          summary: 'Link a provider',
          description:
            'Adds a way to sign in. The credential is verified with its provider, as at a sign-in. An identity that signs in ' +
            'to another profile cannot be linked: merge that profile instead. One that is linked already stays as it is.',
          headers: ProofHeaders,
          body: LinkBody,
          response: { 201: AuthMethod, ...problems(403, 502) },
        },
      },
      async (request, reply) => {
        const { setAsPrimary, proof, ...rest } = request.body;
        const credential = credentialOf(rest);
        reply.code(201);
        return linkMethod(services, applicantOf(request, proof), { credential, setAsPrimary });
      },
    );

    app.post(
      '/api/player-profile/me/merge',
      {
        bodyLimit: CREDENTIAL_BODY_LIMIT,
        schema: {
          operationId: 'mergeProfile',
          tags,
          summary: 'Merge another profile of the player into this one',
          description:
            'Needs a credential that signs in to the source. Its sign-in methods, games, devices and bans move here; it is ' +
            'closed, its sessions end, and its tokens stop working. All of it happens, or nothing.',
          headers: ProofHeaders,
          body: MergeBody,
          response: { 200: FullPlayerProfile, ...problems(403, 502) },
        },
      },
      async (request) => {
        const { sourceProfileId: sourceId, sourceProvider: provider, sourceAuthToken: token } = request.body;
        const { proof, sourceProof } = request.body;
        const source = {
          sourceId,
          credential: { provider, token },
          sourceProof: sourceProof && credentialOf(sourceProof, 'sourceProof.'),
        };
        return mergeProfiles(services, applicantOf(request, proof), source, reporterOf(request));
      },
    );

    app.delete(
      METHOD,
      {
        schema: {
          operationId: 'unlinkAuthMethod',
          tags,
          summary: 'Remove a sign-in method',
          description:
            'The last one cannot be removed. Where it was the primary one, the one that was used last becomes primary.',
          params: AuthMethodPath,
          headers: ProofHeaders,
          response: { 204: Type.Null(), ...problems(403, 502) },
        },
      },
      async (request, reply) => {
        await unlinkMethod(services, applicantOf(request), methodIdOf(request.params));
        return reply.code(204).send(null);
      },
    );

    app.post(
      `${METHOD}/set-primary`,
      {
        schema: {
          operationId: 'setPrimaryAuthMethod',
          tags,
          summary: 'Make a sign-in method the primary one',
          params: AuthMethodPath,
          headers: ProofHeaders,
          body: SetPrimaryBody,
          response: { 200: AuthMethod, ...problems(403, 502) },
        },
      },
      async (request) =>
        setPrimaryMethod(services, applicantOf(request, request.body?.proof), methodIdOf(request.params)),
    );
  };
}

/** Of the player's methods none has an id that is no Guid. */
function methodIdOf({ authMethodId }: Static<typeof AuthMethodPath>): string {
  if (!isGuid(authMethodId)) throw new ProblemError('auth_method_not_found');
  return authMethodId;
}
