import { Type } from 'typebox';
import { Email, Guid, Name, Nullable, OneOf, Page, Timestamp } from '../../../http/schemas.ts';
import { roles } from '../../../core/role.ts';
import { MAX_LISTED_MEMBERSHIPS } from '../workspaces/index.ts';

/** A dashboard account. */
export const User = Type.Object({
  id: Guid,
  email: Type.String(),
  displayName: Nullable(Type.String()),
  isPlatformAdmin: Type.Boolean({ description: 'Whether the account runs this deployment.' }),
  emailVerified: Type.Boolean({ description: 'Whether the e-mail address is verified.' }),
  totpEnabled: Type.Boolean({ description: 'Whether a login asks for a second factor.' }),
  createdAt: Timestamp,
});

const NewPassword = Type.String({ minLength: 8, maxLength: 128 });
const CurrentPassword = Type.String({ minLength: 1, maxLength: 128 });
const Code = Type.String({
  pattern: '^[0-9]{6}$',
  description: 'The six digits that the authenticator app shows.',
});
const MailedToken = Type.String({ minLength: 1, maxLength: 512, description: 'As it stands in the mail.' });

export const SignUpBody = Type.Object({
  email: Email,
  password: NewPassword,
  displayName: Type.Optional(Name(128)),
});

export const LogInBody = Type.Object({
  email: Email,
  password: CurrentPassword,
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
  memberships: Type.Array(Membership, { maxItems: MAX_LISTED_MEMBERSHIPS }),
});

/** What a login answers if the account has a second factor. */
export const SecondFactorNeeded = Type.Object({
  mfaToken: Type.String({
    description: 'Send it with a code to `/api/saas-auth/totp/verify`. It is good for nothing else.',
  }),
  expiresIn: Type.Integer({ description: 'Seconds until the mfaToken expires.' }),
});

export const LoggedIn = Type.Union([SignedIn, SecondFactorNeeded]);

export const VerifyEmailBody = Type.Object({ token: MailedToken });
export const EmailBody = Type.Object({ email: Email });
export const ResetPasswordBody = Type.Object({ token: MailedToken, newPassword: NewPassword });
export const ChangePasswordBody = Type.Object({ currentPassword: CurrentPassword, newPassword: NewPassword });
export const PasswordChanged = Type.Object({
  endedSessions: Type.Integer({ description: 'How many other sessions ended.' }),
});
export const EmailOfAccount = Type.Object({
  email: Type.String({ description: 'The address of the account. It is verified now.' }),
});
export const MailRequested = Type.Object({
  status: Type.Literal('accepted', { description: 'The same for every address.' }),
});

export const SessionPath = Type.Object({ sessionId: Guid });
export const AccountSessionPage = Page(
  Type.Object({
    id: Guid,
    createdAt: Type.String({ format: 'date-time', description: 'When it was opened.' }),
    lastUsedAt: Type.String({ format: 'date-time', description: 'When it was opened or refreshed last.' }),
    ipAddress: Nullable(Type.String({ description: 'From where it was opened or refreshed last.' })),
    userAgent: Nullable(
      Type.String({ description: 'What the client called itself then: at most 256 characters.' }),
    ),
    isCurrent: Type.Boolean({ description: 'Whether the request was made in this session.' }),
  }),
);

const proof = {
  password: Type.Optional(CurrentPassword),
  code: Type.Optional(Code),
};

/** The current password or a code of the app. */
export const ProofBody = Type.Object(proof, { description: 'The current password, or a code of the app.' });
export const CodeBody = Type.Object({ code: Code });
export const TotpEnrolment = Type.Object({
  secret: Type.String({ description: 'Base32, to be typed into an app that reads no QR codes.' }),
  otpauthUri: Type.String({ description: 'What a QR code for the app holds.' }),
});
export const RecoveryCodes = Type.Object({
  recoveryCodes: Type.Array(Type.String(), { description: 'Each works once. They are not shown again.' }),
});
export const SecondFactorBody = Type.Object(
  {
    mfaToken: Type.String({ minLength: 1, maxLength: 512 }),
    code: Type.Optional(Code),
    recoveryCode: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  },
  { description: 'Either code or recoveryCode.' },
);
