import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { accountOf, authorOf, originOf } from '../../../http/request-context.ts';
import { problems } from '../../../http/schemas.ts';
import type { PasswordServices, SessionServices } from '../accounts/index.ts';
import {
  acceptInvitation,
  joinWorkspace,
  readInvitation,
  type InvitationServices,
} from './accept-invitation.ts';
import { AcceptBody, Accepted, Invitation, Membership, TokenBody } from './schemas.ts';

const tags = ['Accounts'];

/** Open to whoever holds a mailed token. */
export function invitationRoutes(
  services: InvitationServices & PasswordServices & SessionServices,
): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/api/saas-auth/invitations/look-up',
      {
        schema: {
          operationId: 'lookUpInvitation',
          tags,
          summary: 'What an invitation is to',
          description: 'For the page on which it is accepted. Changes nothing.',
          body: TokenBody,
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
            'Joins the workspace and signs in: 200 with the account of the invited address, by its password; 201 with a new ' +
            'account where the address has none, also where sign-up is closed. An account with a second factor signs in first ' +
            '(403), and accepts as who is signed in.',
          body: AcceptBody,
          response: { 200: Accepted, 201: Accepted, ...problems(401, 403, 404, 409, 429, 503) },
        },
      },
      async (request, reply) => {
        const { isNew, signedIn } = await acceptInvitation(services, originOf(request), request.body);
        return reply.code(isNew ? 201 : 200).send(signedIn);
      },
    );
  };
}

/** Behind a dashboard account. */
export function ownInvitationRoutes(services: InvitationServices): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/api/saas-auth/me/invitations/accept',
      {
        schema: {
          operationId: 'joinWorkspace',
          tags,
          summary: 'Accept an invitation as who is signed in',
          description: 'The invitation must be for the address of the account (403).',
          body: TokenBody,
          response: { 200: Membership, ...problems(403, 404) },
        },
      },
      async (request) => {
        const actor = { kind: 'account' as const, id: accountOf(request).accountId };
        return joinWorkspace(services, { ...authorOf(request), actor }, request.body.token);
      },
    );
  };
}
