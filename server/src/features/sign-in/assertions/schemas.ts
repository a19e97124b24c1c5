import { Type } from 'typebox';
import { Guid, Name, Timestamp } from '../../../http/schemas.ts';

const AUDIENCE_LENGTH = 255;

export const ExchangeBody = Type.Object({
  audience: Name(
    AUDIENCE_LENGTH,
    'Whom the assertion is for: a name that the third party knows itself by, such as its address.',
  ),
  includeRefreshToken: Type.Boolean({
    default: false,
    description:
      'Whether the third party also gets a refresh token, for further assertions while the player’s session lasts. With a ' +
      'refresh token as the bearer, the next one always comes.',
  }),
});

export const ExchangeResult = Type.Object({
  assertionToken: Type.String({ description: 'A JWT that says who the player is.' }),
  tokenType: Type.Literal('Bearer'),
  expiresIn: Type.Integer({ description: 'Seconds until the assertion expires.' }),
  audience: Type.String(),
  refreshToken: Type.Optional(Type.String({ description: 'Opaque; works once, for this audience.' })),
});

export const ValidateBody = Type.Object({
  audience: Type.Optional(Name(AUDIENCE_LENGTH, 'The audience that the assertion must be for.')),
});

export const ValidateResult = Type.Object({
  active: Type.Literal(true),
  playerId: Guid,
  tenantId: Guid,
  sessionId: Guid,
  audience: Type.String(),
  displayName: Type.Optional(Type.String()),
  email: Type.Optional(Type.String()),
  issuedAt: Timestamp,
  expiresAt: Timestamp,
});
