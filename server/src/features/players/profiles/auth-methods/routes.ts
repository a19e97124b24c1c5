import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type, type Static } from 'typebox';
import { CREDENTIAL_BODY_LIMIT } from '../../../../http/bodies/body-limits.ts';
import { playerOf } from '../../../../http/request-context.ts';
import { problems } from '../../../../http/schemas.ts';
import { isGuid } from '../../../../core/ids.ts';
import { ProblemError } from '../../../../core/problem.ts';
import type { MailServices } from '../../../messages/mail/index.ts';
import type { ChangeBudgets } from '../change-budgets.ts';
import { callerWithProof, credentialOf, ProofHeaders } from './caller-of-routes.ts';
import { listMethods } from './list-methods.ts';
import { linkMethod, setPrimaryMethod, unlinkMethod } from './change-methods.ts';
import type { ProofServices } from './identity-proof.ts';
import {
  AuthMethod,
  AuthMethodList,
  AuthMethodPath,
  LinkAuthMethodRequest,
  IdentityProofRequest,
  SetPrimaryAuthMethodRequest,
} from './schemas.ts';

const tags = ['Player profile'];
const METHODS = '/api/player-profile/me/auth-methods';
const METHOD = `${METHODS}/:authMethodId`;

/** The credential is a player's access token. */
export function authMethodRoutes(
  services: ProofServices & MailServices & ChangeBudgets,
): FastifyPluginAsyncTypebox {
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
          body: IdentityProofRequest,
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
          body: SetPrimaryAuthMethodRequest,
          response: { 200: AuthMethod, ...problems(502) },
        },
      },
      async (request) =>
        setPrimaryMethod(services, callerWithProof(request, request.body?.proof), methodIdOf(request.params)),
    );
  };
}

/** An id that is not a GUID gets the same error as an unknown one. */
function methodIdOf({ authMethodId }: Static<typeof AuthMethodPath>): string {
  if (!isGuid(authMethodId)) throw new ProblemError('auth_method_not_found');
  return authMethodId;
}
