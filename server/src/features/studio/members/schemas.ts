import { Type } from 'typebox';
import { DisplayName, Email, Guid, Nullable, OneOf, Page, Timestamp } from '../../../http/schemas.ts';
import { AccountTokens } from '../accounts/index.ts';
import { MembershipSchema, WorkspaceRole } from '../workspaces/index.ts';

export const MemberPath = Type.Object({ workspaceId: Guid, userId: Guid });
export const InvitationPath = Type.Object({ workspaceId: Guid, invitationId: Guid });

export const InviteMemberRequest = Type.Object(
  { email: Email, role: WorkspaceRole },
  { title: 'InviteMemberRequest' },
);
export const UpdateMemberRequest = Type.Object({ role: WorkspaceRole }, { title: 'UpdateMemberRequest' });

/** A member or an open invitation of a workspace. */
export const Member = Type.Object(
  {
    userId: Nullable(
      Type.String({ ...Guid, description: 'The account of the member. Null for an invitation.' }),
    ),
    invitationId: Nullable(Type.String({ ...Guid, description: 'Null for a member.' })),
    email: Type.String(),
    displayName: Nullable(Type.String()),
    role: WorkspaceRole,
    status: OneOf(['active', 'invited', 'expired'], {
      title: 'MemberStatus',
      description:
        '`active`: a member. `invited`: the invitation is open. `expired`: it was not accepted within 7 days.',
    }),
    createdAt: Type.String({ ...Timestamp, description: 'When the person joined, or was last invited.' }),
    invitedBy: Nullable(
      Type.String({ ...Guid, description: 'The account that sent the invitation. Null for a member.' }),
    ),
    expiresAt: Nullable(
      Type.String({ ...Timestamp, description: 'When the invitation expires. Null for a member.' }),
    ),
  },
  { title: 'Member' },
);

export const MemberPage = Page(Member);

const InvitationToken = Type.String({
  minLength: 1,
  maxLength: 512,
  description: 'The token from the email.',
});

export const InvitationTokenRequest = Type.Object(
  { token: InvitationToken },
  { title: 'InvitationTokenRequest' },
);

export const AcceptInvitationRequest = Type.Object(
  {
    token: InvitationToken,
    password: Type.String({
      minLength: 8,
      maxLength: 128,
      description: 'The password of the account. If the address has no account, the password of the new one.',
    }),
    displayName: Type.Optional(DisplayName(128, ' Only a new account gets it.')),
  },
  { title: 'AcceptInvitationRequest' },
);

/** An invitation, as the invited person sees it. */
export const Invitation = Type.Object(
  {
    email: Type.String({ description: 'The invited email address.' }),
    role: WorkspaceRole,
    workspaceName: Type.String(),
    invitedBy: Type.String({ description: 'The email address of the inviter.' }),
    expiresAt: Timestamp,
    hasAccount: Type.Boolean({
      description: 'Whether the address has an account. If true, its password is needed.',
    }),
  },
  { title: 'Invitation' },
);

export const AcceptedInvitation = Type.Object(
  { ...AccountTokens.properties, membership: MembershipSchema },
  { title: 'AcceptedInvitation' },
);
