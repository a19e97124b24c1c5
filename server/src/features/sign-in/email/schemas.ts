import { Type } from 'typebox';
import { Email, Name, Timestamp } from '../../../http/schemas.ts';
import { creationFields, deviceFields, signInFields } from '../login/index.ts';

export const EmailBody = Type.Object({ email: Email });

export const SentCode = Type.Object({
  expiresAt: Timestamp,
  resendAfterSeconds: Type.Integer({ description: 'A new code can be had after so many seconds.' }),
});

const codeFields = {
  email: Email,
  code: Type.String({ pattern: '^[0-9]{6}$', description: 'The six digits of the mail.' }),
};

export const ExchangeBody = Type.Object({ ...codeFields, ...signInFields });

export const PortalExchangeBody = Type.Object(codeFields);

const NewPassword = Type.String({ minLength: 8, maxLength: 128 });

export const SignUpBody = Type.Object({
  email: Email,
  password: NewPassword,
  displayName: Type.Optional(Name(128)),
  ...creationFields,
});

export const LogInBody = Type.Object({
  email: Email,
  password: Type.String({ minLength: 1, maxLength: 128 }),
  ...deviceFields,
});

const Token = Type.String({ minLength: 1, maxLength: 512, description: 'As it stands in the mail.' });

export const VerifyBody = Type.Object({ token: Token });

export const ResetBody = Type.Object({ token: Token, newPassword: NewPassword });

export const Verified = Type.Object({
  email: Type.String({ description: 'The address that is verified now.' }),
});

export const ResetRequested = Type.Object({
  status: Type.Literal('accepted', { description: 'The same for every address.' }),
});
