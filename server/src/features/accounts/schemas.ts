import { Type } from 'typebox';
import { Email, Guid, Name, Nullable, OneOf, Timestamp } from '../../http/schemas.ts';
import { roles } from '../../http/credential-scope.ts';
import { MOST_MEMBERSHIPS } from '../workspaces/index.ts';

/** A dashboard account. */
export const User = Type.Object({
  id: Guid,
  email: Type.String(),
  displayName: Nullable(Type.String()),
  isPlatformAdmin: Type.Boolean({ description: 'Whether the account runs this deployment.' }),
  createdAt: Timestamp,
});

export const SignUpBody = Type.Object({
  email: Email,
  password: Type.String({ minLength: 8, maxLength: 128 }),
  displayName: Type.Optional(Name(128)),
});

export const LogInBody = Type.Object({
  email: Email,
  password: Type.String({ minLength: 1, maxLength: 128 }),
});

export const SessionBody = Type.Object({ refreshToken: Type.String({ minLength: 1, maxLength: 512 }) });

export const SignedIn = Type.Object({
  accessToken: Type.String({ description: 'A JWT for `Authorization: Bearer`.' }),
  refreshToken: Type.String({ description: 'Opaque; works once, for the next pair.' }),
  tokenType: Type.Literal('Bearer'),
  expiresIn: Type.Integer({ description: 'Seconds until the access token expires.' }),
  user: User,
});

/** What an account is in a workspace. */
export const Membership = Type.Object({
  workspaceId: Guid,
  workspaceName: Type.String(),
  workspaceSlug: Type.String(),
  role: OneOf(roles),
});

export const Me = Type.Object({
  user: User,
  memberships: Type.Array(Membership, { maxItems: MOST_MEMBERSHIPS }),
});
