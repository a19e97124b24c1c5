import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type, type Static } from 'typebox';
import { CREDENTIAL_BODY_LIMIT } from '../../../../http/body-limits.ts';
import { playerOf, reporterOf } from '../../../../http/request-context.ts';
import { problems } from '../../../../http/schemas.ts';
import { isGuid } from '../../../../core/ids.ts';
import { invalidField, ProblemError } from '../../../../core/problem.ts';
import type { ChangeBudgets } from '../change-budgets.ts';
import { mergeProfiles, type MergeServices, type SourceCredentials } from '../merge/merge-profiles.ts';
import {
  AuthMethod,
  AuthMethodList,
  AuthMethodPath,
  FullPlayerProfile,
  LinkAuthMethodRequest,
  MergeProfileRequest,
  ProofBody,
  SetPrimaryBody,
} from '../schemas.ts';
import { callerWithProof, credentialOf, ProofHeaders } from './caller-of-routes.ts';
import { listMethods } from './list-methods.ts';
import { linkMethod, setPrimaryMethod, unlinkMethod } from './change-methods.ts';

const tags = ['Player profile'];
const METHODS = '/api/player-profile/me/auth-methods';
const METHOD = `${METHODS}/:authMethodId`;

/** The credential is a player's access token. */
export function authMethodRoutes(services: MergeServices & ChangeBudgets): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      METHODS,
      {
        config: { checksProof: true },
        schema: {
          operationId: 'listAuthMethods',
          tags,
          summary: 'List your sign-in methods',
          description:
            'Returns the sign-in methods of the player, the primary one first. A portal session that was opened by a method without ' +
            'proof gets only this method, as soon as games of other workspaces know the player. It can remove the method.',
          response: { 200: AuthMethodList },
        },
      },
      async (request) => listMethods(services, playerOf(request)),
    );

    app.post(
      METHODS,
      {
        bodyLimit: CREDENTIAL_BODY_LIMIT,
        config: { checksProof: true },
        schema: {
          operationId: 'linkAuthMethod',
          tags,
          summary: 'Link a sign-in method',
          description:
            'Verifies the credential with its provider, as at a sign-in, and adds the identity to the profile. A profile can have at ' +
            'most 50 sign-in methods. An identity that is already linked stays linked. An identity of another profile cannot be ' +
            'linked: merge that profile instead.',
          headers: ProofHeaders,
          body: LinkAuthMethodRequest,
          response: { 201: AuthMethod, ...problems(502) },
        },
      },
      async (request, reply) => {
        const { setAsPrimary, proof, ...rest } = request.body;
        const credential = credentialOf(rest);
        reply.code(201);
        return linkMethod(services, callerWithProof(request, proof), { credential, setAsPrimary });
      },
    );

    app.post(
      '/api/player-profile/me/merge',
      {
        bodyLimit: CREDENTIAL_BODY_LIMIT,
        config: { checksProof: true },
        schema: {
          operationId: 'mergeProfile',
          tags,
          summary: 'Merge another profile into this one',
          description:
            'Use it if a player has two profiles. Needs a token that signs in to the source profile (`sourceProvider` and ' +
            '`sourceAuthToken`), or a proof of identity of it (`sourceProof`), for example of its wallet. If games of other workspaces ' +
            'know the source, it needs a proof of both profiles. The sign-in methods, tenants, ' +
            'devices and bans of the source move to the caller’s profile. The source is closed: its sessions end, and its tokens stop ' +
            'working. The merge is atomic and cannot be undone.',
          headers: ProofHeaders,
          body: MergeProfileRequest,
          response: { 200: FullPlayerProfile, ...problems(502) },
        },
      },
      async (request) => {
        const { sourceProfileId: sourceId, proof, ...credentials } = request.body;
        const source = { sourceId, ...sourceCredentialsOf(credentials) };
        return mergeProfiles(services, callerWithProof(request, proof), source, reporterOf(request));
      },
    );

    app.delete(
      METHOD,
      {
        bodyLimit: CREDENTIAL_BODY_LIMIT,
        config: { checksProof: true },
        schema: {
          operationId: 'unlinkAuthMethod',
          tags,
          summary: 'Remove a sign-in method',
          description:
            'The last sign-in method cannot be removed. If the removed one was primary, the last used one becomes primary. The ' +
            'sessions that the method opened end, in all tenants and in the player portal.',
          params: AuthMethodPath,
          headers: ProofHeaders,
          body: ProofBody,
          response: { 204: Type.Null(), ...problems(502) },
        },
      },
      async (request, reply) => {
        await unlinkMethod(
          services,
          callerWithProof(request, request.body?.proof),
          methodIdOf(request.params),
        );
        return reply.code(204).send(null);
      },
    );

    app.post(
      `${METHOD}/set-primary`,
      {
        bodyLimit: CREDENTIAL_BODY_LIMIT,
        config: { checksProof: true },
        schema: {
          operationId: 'setPrimaryAuthMethod',
          tags,
          summary: 'Set the primary sign-in method',
          description:
            'Replaces the previous primary method. Answers 400 if the profile has no such method. A repeated call changes nothing.',
          params: AuthMethodPath,
          headers: ProofHeaders,
          body: SetPrimaryBody,
          response: { 200: AuthMethod, ...problems(502) },
        },
      },
      async (request) =>
        setPrimaryMethod(services, callerWithProof(request, request.body?.proof), methodIdOf(request.params)),
    );
  };
}

/** Throws invalid_request if the body has neither a token nor a proof of the source. */
function sourceCredentialsOf({
  sourceProvider: provider,
  sourceAuthToken: token,
  sourceProof,
}: Partial<Static<typeof MergeProfileRequest>>): SourceCredentials {
  const proof = sourceProof && credentialOf(sourceProof, 'sourceProof.');
  if (provider && token !== undefined) return { credential: { provider, token }, sourceProof: proof };
  if (!provider && token === undefined && proof) return { sourceProof: proof };
  throw invalidField(
    provider ? 'sourceAuthToken' : 'sourceProvider',
    'is missing',
    'A merge needs sourceProvider and sourceAuthToken, or sourceProof.',
  );
}

/** An id that is not a GUID gets the same error as an unknown one. */
function methodIdOf({ authMethodId }: Static<typeof AuthMethodPath>): string {
  if (!isGuid(authMethodId)) throw new ProblemError('auth_method_not_found');
  return authMethodId;
}
