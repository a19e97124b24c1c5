import { Type } from 'typebox';
import { EvmAddress, Guid, Timestamp } from '../../../http/schemas.ts';
import { signInFields } from '../login/index.ts';

export const WalletChallengeRequest = Type.Object(
  {
    address: EvmAddress,
    chainId: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Default: the first of the tenant’s `chainIds`. If the tenant has none: 1 (Ethereum).',
      }),
    ),
  },
  { title: 'WalletChallengeRequest' },
);

export const WalletChallenge = Type.Object(
  {
    challengeId: Guid,
    message: Type.String({ description: 'The exact text that the wallet must sign (EIP-4361).' }),
    nonce: Type.String(),
    expiresAt: Timestamp,
  },
  { title: 'WalletChallenge' },
);

// The signature of a contract wallet that is not yet deployed includes its deployment code: 1 to 3 KB.
export const SIGNATURE_LENGTH = 16_384;

export const WalletLoginRequest = Type.Object(
  {
    message: Type.String({
      minLength: 1,
      maxLength: 4096,
      description: 'The unchanged message of the challenge.',
    }),
    signature: Type.String({
      minLength: 1,
      maxLength: SIGNATURE_LENGTH,
      description: 'The wallet’s signature of the message (`personal_sign`), in hexadecimal.',
    }),
    ...signInFields,
  },
  { title: 'WalletLoginRequest' },
);
