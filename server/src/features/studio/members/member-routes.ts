import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { authorOf } from '../../../http/request-context.ts';
import { PageQuery, problems } from '../../../http/schemas.ts';
import { changeRole, removeMember } from './change-member.ts';
import { inviteMember, type InviteServices } from './invite-member.ts';
import { readTeam } from './read-team.ts';
import {
  ChangeMemberBody,
  InvitationPath,
  InviteBody,
  Member,
  MemberPage,
  MemberPath,
  WorkspacePath,
} from './schemas.ts';
import { withdrawInvitation } from './withdraw-invitation.ts';

const LIST = '/api/workspaces/:workspaceId/members';
const tags = ['Workspaces'];

export interface MemberServices extends InviteServices {
  /** What is remembered of who may do what. */
  memberships: { invalidate(): void };
  /** The cache of keys, which holds their payers. */
  keys: { invalidate(): void };
}

/** Behind a dashboard account: the team of a workspace. */
export function memberRoutes(services: MemberServices): FastifyPluginAsyncTypebox {
  const { database, memberships, keys } = services;
  return async (app) => {
    app.get(
      LIST,
      {
        config: { role: 'viewer' },
        schema: {
          operationId: 'listMembers',
          tags,
          summary: 'The members of a workspace',
          description: 'In the order in which they joined; then whoever is invited and has not accepted.',
          params: WorkspacePath,
          querystring: PageQuery,
          response: { 200: MemberPage },
        },
      },
      async (request) => {
        const { workspaceId } = request.params;
        return readTeam(database.forWorkspace(workspaceId), workspaceId, request.query);
      },
    );

    app.post(
      LIST,
      {
        config: { role: 'admin' },
        schema: {
          operationId: 'inviteMember',
          tags,
          summary: 'Invite somebody to a workspace',
          description:
            'Mails them a token that works once, for seven days. Inviting an address again mails another one, which takes the ' +
            'place of the first. Only owners invite owners.',
          params: WorkspacePath,
          body: InviteBody,
          response: { 201: Member, ...problems(409, 429) },
        },
      },
      async (request, reply) => {
        reply.code(201);
        return inviteMember(services, authorOf(request), request.params.workspaceId, request.body);
      },
    );

    app.patch(
      `${LIST}/:userId`,
      {
        config: { role: 'admin' },
        schema: {
          operationId: 'changeMember',
          tags,
          summary: 'Change the role of a member',
          description:
            'Holds at once. Only owners make owners, or change one. The last owner stays one (409).',
          params: MemberPath,
          body: ChangeMemberBody,
          response: { 200: Member, ...problems(409) },
        },
      },
      async (request) => {
        const changed = await changeRole(services, authorOf(request), request.params, request.body.role);
        memberships.invalidate();
        keys.invalidate();
        return changed;
      },
    );

    app.delete(
      `${LIST}/:userId`,
      {
        // Everybody may leave; to remove others needs more, which the use case sees to.
        config: { role: 'viewer' },
        schema: {
          operationId: 'removeMember',
          tags,
          summary: 'Remove a member, or leave',
          description:
            'Holds at once, whatever token they have. Every member may remove themselves. To remove others needs the role ' +
            'admin, to remove an owner the role owner. The last owner stays (409).',
          params: MemberPath,
          response: { 204: Type.Null({ description: 'They are no member.' }), ...problems(409) },
        },
      },
      async (request, reply) => {
        await removeMember(services, authorOf(request), request.params);
        memberships.invalidate();
        keys.invalidate();
        return reply.code(204).send(null);
      },
    );

    app.delete(
      '/api/workspaces/:workspaceId/invitations/:invitationId',
      {
        config: { role: 'admin' },
        schema: {
          operationId: 'withdrawInvitation',
          tags,
          summary: 'Withdraw an invitation',
          description: 'Its token stops working at once.',
          params: InvitationPath,
          response: { 204: Type.Null({ description: 'The invitation is withdrawn.' }) },
        },
      },
      async (request, reply) => {
        await withdrawInvitation(database, authorOf(request), request.params);
        return reply.code(204).send(null);
      },
    );
  };
}
