import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Static } from 'typebox';
import { CREDENTIAL_BODY_LIMIT } from '../../../../http/bodies/body-limits.ts';
import { reporterOf } from '../../../../http/request-context.ts';
import { problems } from '../../../../http/schemas.ts';
import { invalidField } from '../../../../core/problem.ts';
import { callerWithProof, credentialOf, ProofHeaders } from '../auth-methods/caller-of-routes.ts';
import { FullPlayerProfile } from '../schemas.ts';
import { mergeProfiles, type MergeServices, type SourceCredentials } from './merge-profiles.ts';
import { MergeProfileRequest } from './schemas.ts';

/** The credential is a player's access token. */
export function profileMergeRoutes(services: MergeServices): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/api/player-profile/me/merge',
      {
        bodyLimit: CREDENTIAL_BODY_LIMIT,
        config: { checksProof: true },
        schema: {
          operationId: 'mergeProfile',
          tags: ['Player profile'],
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
