import { Type } from 'typebox';
import { roles } from '../../../core/role.ts';
import { Email, Guid, Name, Nullable, OneOf, Page, Timestamp } from '../../../http/schemas.ts';
import { Membership, SignedInBody } from '../accounts/index.ts';

const WorkspaceRole = OneOf(roles);

export const WorkspacePath = Type.Object({ workspaceId: Guid });
export const MemberPath = Type.Object({ workspaceId: Guid, userId: Guid });
export const InvitationPath = Type.Object({ workspaceId: Guid, invitationId: Guid });

export const InviteBody = Type.Object({ email: Email, role: WorkspaceRole });
export const ChangeMemberBody = Type.Object({ role: WorkspaceRole });

/** A member of a workspace, or somebody who is invited to be one. */
export const Member = Type.Object({
  userId: Nullable(Type.String({ ...Guid, description: 'The member’s account; null for an invitation.' })),
  invitationId: Nullable(Type.String({ ...Guid, description: 'Null for a member.' })),
  email: Type.String(),
  displayName: Nullable(Type.String()),
  role: WorkspaceRole,
  status: OneOf(['active', 'invited', 'expired'], {
    description: '`invited`: waits to be accepted; `expired`: it was not, within seven days.',
  }),
  createdAt: Type.String({ ...Timestamp, description: 'When they joined, or were invited last.' }),
  invitedBy: Nullable(Type.String({ ...Guid, description: 'Who sent the invitation; null for a member.' })),
  expiresAt: Nullable(
    Type.String({ ...Timestamp, description: 'When the invitation expires; null for a member.' }),
  ),
});

export const MemberPage = Page(Member);

const InvitationToken = Type.String({ minLength: 1, maxLength: 512, description: 'As it was mailed.' });

export const TokenBody = Type.Object({ token: InvitationToken });

export const AcceptBody = Type.Object({
  token: InvitationToken,
  password: Type.String({
    minLength: 8,
    maxLength: 128,
    description: 'Of the address’ account; where it has none, that of the new one.',
  }),
  displayName: Type.Optional(Name(128, 'For a new account.')),
});

/** What an invitation is to. */
export const Invitation = Type.Object({
  email: Type.String({ description: 'Whom it is for.' }),
  role: WorkspaceRole,
  workspaceName: Type.String(),
  invitedBy: Type.String({ description: 'The e-mail address of whoever sent it.' }),
  expiresAt: Timestamp,
  hasAccount: Type.Boolean({ description: 'Whether the address has an account, whose password is needed.' }),
});

export const Accepted = Type.Object({ ...SignedInBody.properties, membership: Membership });
export { Membership };
