import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { authorOf } from '../../../http/request-context.ts';
import { PageQuery, problems, WorkspacePath } from '../../../http/schemas.ts';
import { changeRole, removeMember, type ChangeMemberServices } from './change-member.ts';
import { inviteMember, type InviteServices } from './invite-member.ts';
import { readTeam } from './read-team.ts';
import {
  UpdateMemberRequest,
  InvitationPath,
  InviteMemberRequest,
  Member,
  MemberPage,
  MemberPath,
} from './schemas.ts';
import { withdrawInvitation } from './withdraw-invitation.ts';

const LIST = '/api/workspaces/:workspaceId/members';
const tags = ['Workspaces'];

/** The endpoints of members and invitations. They require a console account. */
export function memberRoutes(services: InviteServices & ChangeMemberServices): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      LIST,
      {
        config: { role: 'viewer' },
        schema: {
          operationId: 'listMembers',
          tags,
          summary: 'List members',
          description: 'Returns the members in the order in which they joined, then the open invitations.',
          params: WorkspacePath,
          querystring: PageQuery,
          response: { 200: MemberPage },
        },
      },
      async (request) => readTeam(services.database, request.params.workspaceId, request.query),
    );

    app.post(
      LIST,
      {
        config: { role: 'admin' },
        schema: {
          operationId: 'inviteMember',
          tags,
          summary: 'Invite a person to a workspace',
          description:
            'Mails a token that works once, for 7 days. A second invitation to the same address replaces the first one. Only ' +
            'owners can invite owners. If the address belongs to a member, the response is 409. Limit: 100 members and open ' +
            'invitations of a workspace.',
          params: WorkspacePath,
          body: InviteMemberRequest,
          response: { 201: Member, ...problems(409) },
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
          operationId: 'updateMember',
          tags,
          summary: 'Change the role of a member',
          description:
            'The change takes effect immediately. Only owners can assign or change the role owner. If no owner would remain, ' +
            'the response is 409.',
          params: MemberPath,
          body: UpdateMemberRequest,
          response: { 200: Member, ...problems(409) },
        },
      },
      async (request) => changeRole(services, authorOf(request), request.params, request.body.role),
    );

    app.delete(
      `${LIST}/:userId`,
      {
        // Every member can leave. The use case checks the role that is needed to remove another member.
        config: { role: 'viewer' },
        schema: {
          operationId: 'removeMember',
          tags,
          summary: 'Remove a member, or leave',
          description:
            'The member loses access immediately, even with a valid access token. Every member can remove themselves. The role ' +
            'admin can remove others, but only owners can remove owners. If no owner would remain, the response is 409.',
          params: MemberPath,
          response: { 204: Type.Null({ description: 'The account is not a member.' }), ...problems(409) },
        },
      },
      async (request, reply) => {
        await removeMember(services, authorOf(request), request.params);
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
          description: 'The token of the invitation stops working immediately.',
          params: InvitationPath,
          response: { 204: Type.Null({ description: 'The invitation is withdrawn.' }) },
        },
      },
      async (request, reply) => {
        await withdrawInvitation(services.database, authorOf(request), request.params);
        return reply.code(204).send(null);
      },
    );
  };
}
