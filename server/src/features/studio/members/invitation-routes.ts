import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { authorOf, originOf } from '../../../http/request-context.ts';
import { problems } from '../../../http/schemas.ts';
import type { PasswordServices, SessionServices } from '../accounts/index.ts';
import { MembershipSchema } from '../workspaces/index.ts';
import {
  acceptInvitation,
  joinWorkspace,
  readInvitation,
  type InvitationServices,
} from './accept-invitation.ts';
import {
  AcceptInvitationRequest,
  AcceptedInvitation,
  Invitation,
  InvitationTokenRequest,
} from './schemas.ts';

const tags = ['Accounts'];

/** The endpoints of invitations that require only the mailed token. */
export function invitationRoutes(
  services: InvitationServices & PasswordServices & SessionServices,
): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/api/saas-auth/invitations/look-up',
      {
        schema: {
          operationId: 'getInvitation',
          tags,
          summary: 'Look up an invitation',
          description:
            'Returns the invitation of a mailed token, for the page on which a person accepts it. Read-only.',
          body: InvitationTokenRequest,
          response: { 200: Invitation, ...problems(404) },
        },
      },
      async (request) => readInvitation(services, request.body.token),
    );

    app.post(
      '/api/saas-auth/invitations/accept',
      {
        schema: {
          operationId: 'acceptInvitation',
          tags,
          summary: 'Accept an invitation with a password',
          description:
            'Joins the workspace and signs in. If the invited address has an account, send its password: the response is 200. ' +
            'Otherwise an account is created, even if sign-up is closed: the response is 201. If the account has a second ' +
            'factor, the response is 403: sign in first, then call `POST /api/saas-auth/me/invitations/accept`.',
          body: AcceptInvitationRequest,
          response: {
            200: AcceptedInvitation,
            201: AcceptedInvitation,
            ...problems(401, 403, 404, 409, 503),
          },
        },
      },
      async (request, reply) => {
        const { isNew, signedIn } = await acceptInvitation(services, originOf(request), request.body);
        return reply.code(isNew ? 201 : 200).send(signedIn);
      },
    );
  };
}

/** The invitation endpoint that requires a console account. */
export function ownInvitationRoutes(services: InvitationServices): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/api/saas-auth/me/invitations/accept',
      {
        schema: {
          operationId: 'joinWorkspace',
          tags,
          summary: 'Accept an invitation when signed in',
          description: 'If the invitation is not for the email address of the account, the response is 403.',
          body: InvitationTokenRequest,
          response: { 200: MembershipSchema, ...problems(403, 404) },
        },
      },
      async (request) => joinWorkspace(services, authorOf(request), request.body.token),
    );
  };
}
