import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { Type, type Static } from 'typebox';
import { CREDENTIAL_BODY_LIMIT } from '../../http/body-limits.ts';
import { clientAddress } from '../../http/client-address.ts';
import { playerOf, reporterOf } from '../../http/request-context.ts';
import { problems } from '../../http/schemas.ts';
import { isGuid } from '../../shared/ids.ts';
import { Problem } from '../../shared/problem.ts';
import { linkMethod } from './link-method.ts';
import { mergeProfiles, type MergeServices } from './merge-profiles.ts';
import {
  AuthMethod,
  AuthMethodPath,
  credentialMembers,
  FullPlayerProfile,
  LinkBody,
  MergeBody,
} from './schemas.ts';
import { setPrimaryMethod } from './set-primary-method.ts';
import { unlinkMethod } from './unlink-method.ts';
import type { Claimant, Credential } from './verify-credential.ts';

const tags = ['Player profile'];
const METHODS = '/api/player-profile/me/auth-methods';
const METHOD = `${METHODS}/:authMethodId`;

/** Behind a player's token. */
export function authMethodRoutes(services: MergeServices): FastifyPluginAsyncTypebox {
  const { database } = services;
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
          body: LinkBody,
          response: { 201: AuthMethod, ...problems(502) },
        },
      },
      async (request, reply) => {
        const { setAsPrimary } = request.body;
        const credential = credentialOf(request.body);
        reply.code(201);
        return linkMethod(services, claimantOf(request), { credential, setAsPrimary });
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
          body: MergeBody,
          response: { 200: FullPlayerProfile, ...problems(502) },
        },
      },
      async (request) => {
        const { sourceProfileId: sourceId, sourceProvider: provider, sourceAuthToken: token } = request.body;
        const source = { sourceId, credential: { provider, token } };
        return mergeProfiles(services, claimantOf(request), source, reporterOf(request));
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
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        await unlinkMethod(database, playerOf(request), methodIdOf(request.params));
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
          response: { 200: AuthMethod },
        },
      },
      async (request) => setPrimaryMethod(database, playerOf(request), methodIdOf(request.params)),
    );
  };
}

function claimantOf(request: FastifyRequest): Claimant {
  return { ...playerOf(request), ipAddress: clientAddress(request) };
}

/** The members that a credential of the provider has. Throws invalid_request where one is missing. */
function credentialOf(body: Static<typeof LinkBody>): Credential {
  const members = credentialMembers[body.provider];
  const missing = members.filter((name) => body[name] === undefined);
  if (missing.length > 0)
    throw new Problem('invalid_request', {
      detail: `A credential of ${body.provider} needs ${members.join(' and ')}.`,
      members: { errors: missing.map((path) => ({ path, message: 'is missing' })) },
    });
  return body as Credential;
}

/** Of the player's methods none has an id that is no Guid. */
function methodIdOf({ authMethodId }: Static<typeof AuthMethodPath>): string {
  if (!isGuid(authMethodId)) throw new Problem('auth_method_not_found');
  return authMethodId;
}
