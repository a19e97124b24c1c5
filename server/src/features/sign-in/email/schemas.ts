import { Type } from 'typebox';
import { DisplayName, Email, Timestamp } from '../../../http/schemas.ts';
import { creationFields, deviceFields, signInFields } from '../login/index.ts';

export const EmailAddressRequest = Type.Object({ email: Email }, { title: 'EmailAddressRequest' });

export const SentCode = Type.Object(
  {
    expiresAt: Timestamp,
    resendAfterSeconds: Type.Integer({ description: 'Seconds until a new code can be requested.' }),
  },
  { title: 'SentCode' },
);

const codeFields = {
  email: Email,
  code: Type.String({ pattern: '^[0-9]{6}$', description: 'The six digits from the email.' }),
};

export const CodeLoginRequest = Type.Object(
  { ...codeFields, ...signInFields },
  { title: 'CodeLoginRequest' },
);

export const PortalCodeLoginRequest = Type.Object(codeFields, { title: 'PortalCodeLoginRequest' });

const NewPassword = Type.String({ minLength: 8, maxLength: 128 });

export const PlayerSignUpRequest = Type.Object(
  {
    email: Email,
    password: NewPassword,
    displayName: Type.Optional(DisplayName(64)),
    ...creationFields,
  },
  { title: 'PlayerSignUpRequest' },
);

export const PlayerPasswordLoginRequest = Type.Object(
  {
    email: Email,
    password: Type.String({ minLength: 1, maxLength: 128 }),
    ...deviceFields,
  },
  { title: 'PlayerPasswordLoginRequest' },
);

const Token = Type.String({ minLength: 1, maxLength: 512, description: 'The token from the email.' });

export const VerifyPlayerEmailRequest = Type.Object({ token: Token }, { title: 'VerifyPlayerEmailRequest' });

export const ResetPlayerPasswordRequest = Type.Object(
  { token: Token, newPassword: NewPassword },
  { title: 'ResetPlayerPasswordRequest' },
);

export const VerifiedEmail = Type.Object(
  {
    email: Type.String({ description: 'The verified address.' }),
  },
  { title: 'VerifiedEmail' },
);

export const VerificationRequested = Type.Object(
  { status: Type.Literal('accepted', { description: 'The email will be sent.' }) },
  { title: 'VerificationRequested' },
);

export const PasswordResetRequested = Type.Object(
  {
    status: Type.Literal('accepted', { description: 'The same for every address.' }),
  },
  { title: 'PasswordResetRequested' },
);
