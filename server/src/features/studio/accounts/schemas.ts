import { Type } from 'typebox';
import { DisplayName, Email, Guid, Nullable, Page, Timestamp } from '../../../http/schemas.ts';
import { refreshTokenField } from '../../sign-in/refresh-tokens/index.ts';
import { MAX_LISTED_MEMBERSHIPS, MembershipSchema } from '../workspaces/index.ts';

/** A console account. */
const User = Type.Object(
  {
    id: Guid,
    email: Type.String(),
    displayName: Nullable(Type.String()),
    isPlatformAdmin: Type.Boolean({ description: 'Whether the account is a platform administrator.' }),
    emailVerified: Type.Boolean({ description: 'Whether the email address is verified.' }),
    totpEnabled: Type.Boolean({ description: 'Whether a login asks for a second factor.' }),
    createdAt: Timestamp,
  },
  { title: 'User' },
);

const NewPassword = Type.String({ minLength: 8, maxLength: 128 });
const CurrentPassword = Type.String({ minLength: 1, maxLength: 128 });
const Code = Type.String({
  pattern: '^[0-9]{6}$',
  description: 'The 6-digit code of the authenticator app.',
});
const MailedToken = Type.String({ minLength: 1, maxLength: 512, description: 'The token from the email.' });

export const AccountSignUpRequest = Type.Object(
  {
    email: Email,
    password: NewPassword,
    displayName: Type.Optional(DisplayName(128)),
  },
  { title: 'AccountSignUpRequest' },
);

export const AccountLoginRequest = Type.Object(
  {
    email: Email,
    password: CurrentPassword,
  },
  { title: 'AccountLoginRequest' },
);

export const AccountLinkRequest = Type.Object(
  { token: Type.String({ minLength: 1, maxLength: 512, description: 'The token at the end of the link.' }) },
  { title: 'AccountLinkRequest' },
);

export const AccountSessionRequest = Type.Object(refreshTokenField, { title: 'AccountSessionRequest' });

export const AccountTokens = Type.Object(
  {
    accessToken: Type.String({ description: 'A JWT for `Authorization: Bearer`.' }),
    refreshToken: Type.String({ description: 'An opaque token. Exchange it once for new tokens.' }),
    tokenType: Type.Literal('Bearer'),
    expiresIn: Type.Integer({ description: 'Seconds until the access token expires.' }),
    user: User,
  },
  { title: 'AccountTokens' },
);

export const OwnAccount = Type.Object(
  {
    user: User,
    memberships: Type.Array(MembershipSchema, { maxItems: MAX_LISTED_MEMBERSHIPS }),
  },
  { title: 'OwnAccount' },
);

/** The response to a login if the account has a second factor. */
const SecondFactorNeeded = Type.Object(
  {
    mfaToken: Type.String({
      description: 'Send it with a code to `/api/saas-auth/totp/verify`. It has no other use.',
    }),
    expiresIn: Type.Integer({ description: 'Seconds until the mfaToken expires.' }),
  },
  { title: 'SecondFactorRequired' },
);

export const AccountLoginResult = Type.Union([AccountTokens, SecondFactorNeeded], {
  title: 'AccountLoginResult',
});

export const VerifyAccountEmailRequest = Type.Object(
  { token: MailedToken },
  { title: 'VerifyAccountEmailRequest' },
);
export const AccountEmailRequest = Type.Object({ email: Email }, { title: 'AccountEmailRequest' });
export const ResetAccountPasswordRequest = Type.Object(
  { token: MailedToken, newPassword: NewPassword },
  { title: 'ResetAccountPasswordRequest' },
);
export const UpdateAccountPasswordRequest = Type.Object(
  { currentPassword: CurrentPassword, newPassword: NewPassword },
  { title: 'UpdateAccountPasswordRequest' },
);
export const PasswordUpdated = Type.Object(
  {
    endedSessions: Type.Integer({ description: 'The number of other sessions that ended.' }),
  },
  { title: 'PasswordUpdated' },
);
export const VerifiedAccountEmail = Type.Object(
  {
    email: Type.String({ description: 'The address of the account. It is verified now.' }),
  },
  { title: 'VerifiedAccountEmail' },
);
export const MailRequested = Type.Object(
  {
    status: Type.Literal('accepted', { description: 'The same for every address.' }),
  },
  { title: 'MailRequested' },
);

export const SessionPath = Type.Object({ sessionId: Guid });
export const AccountSessionPage = Page(
  Type.Object(
    {
      id: Guid,
      createdAt: Type.String({ ...Timestamp, description: 'When the session was created.' }),
      lastUsedAt: Type.String({
        ...Timestamp,
        description: 'When the session was created or last refreshed.',
      }),
      ipAddress: Nullable(
        Type.String({ description: 'The IP address that created or last refreshed the session.' }),
      ),
      userAgent: Nullable(
        Type.String({ description: 'The user agent at that time, at most 256 characters.' }),
      ),
      isCurrent: Type.Boolean({ description: 'Whether this is the session of the request.' }),
    },
    { title: 'AccountSession' },
  ),
);

export const ReauthenticationRequest = Type.Object(
  { password: Type.Optional(CurrentPassword), code: Type.Optional(Code) },
  {
    title: 'ReauthenticationRequest',
    description: 'The current password or a code of the authenticator app.',
  },
);
export const TotpCodeRequest = Type.Object({ code: Code }, { title: 'TotpCodeRequest' });
export const TotpEnrollment = Type.Object(
  {
    secret: Type.String({
      description: 'The secret in Base32, to type into an app that cannot scan a QR code.',
    }),
    otpauthUri: Type.String({ description: 'The URI to show as a QR code.' }),
  },
  { title: 'TotpEnrollment' },
);
export const RecoveryCodes = Type.Object(
  {
    recoveryCodes: Type.Array(Type.String(), {
      description: 'Each code works once. Save them: they are not shown again.',
    }),
  },
  { title: 'RecoveryCodes' },
);
export const SecondFactorRequest = Type.Object(
  {
    mfaToken: Type.String({ minLength: 1, maxLength: 512 }),
    code: Type.Optional(Code),
    recoveryCode: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  },
  { title: 'SecondFactorRequest', description: 'Send either `code` or `recoveryCode`.' },
);
