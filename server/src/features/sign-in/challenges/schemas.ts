import { Type, type Static } from 'typebox';
import { Email, EvmAddress, Guid, OneOf, Timestamp } from '../../../http/schemas.ts';
import { signInFields } from '../login/index.ts';
import { SIGNATURE_LENGTH } from '../wallet/index.ts';

const provider = OneOf(['EvmWallet', 'EmailOneTimeCode'], { title: 'ChallengeProvider' });

const subjects = [
  Type.Object(
    { provider: Type.Literal('EvmWallet'), subject: EvmAddress },
    { title: 'WalletLoginChallengeRequest' },
  ),
  Type.Object(
    { provider: Type.Literal('EmailOneTimeCode'), subject: Email },
    { title: 'EmailLoginChallengeRequest' },
  ),
] as const;

export const LoginChallengeRequest = Type.Unsafe<Static<(typeof subjects)[number]>>({
  title: 'LoginChallengeRequest',
  type: 'object',
  properties: { provider },
  required: ['provider'],
  discriminator: { propertyName: 'provider' },
  oneOf: subjects,
});

export const LoginChallenge = Type.Object(
  {
    challengeId: Guid,
    provider,
    message: Type.Optional(
      Type.String({ description: 'EvmWallet only: the exact text that the wallet must sign (EIP-4361).' }),
    ),
    expiresAt: Timestamp,
  },
  { title: 'LoginChallenge' },
);

export const ChallengeLoginRequest = Type.Object(
  {
    challengeId: Guid,
    response: Type.String({
      minLength: 1,
      maxLength: SIGNATURE_LENGTH,
      description: 'The wallet’s signature of the message, in hexadecimal, or the six digits from the email.',
    }),
    ...signInFields,
  },
  { title: 'ChallengeLoginRequest' },
);
