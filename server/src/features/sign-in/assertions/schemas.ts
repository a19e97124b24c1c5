import { Type } from 'typebox';
import { Guid, Name, Timestamp } from '../../../http/schemas.ts';

const AUDIENCE_LENGTH = 255;

export const CreateAssertionRequest = Type.Object(
  {
    audience: Name(
      AUDIENCE_LENGTH,
      'The third party that accepts the assertion: a name that it knows, such as its URL.',
    ),
    includeRefreshToken: Type.Boolean({
      default: false,
      description:
        'Whether the response contains a refresh token for the third party. It works until the player’s session ends. If the bearer is ' +
        'a refresh token, the response always contains the next one.',
    }),
  },
  { title: 'CreateAssertionRequest' },
);

export const AssertionResult = Type.Object(
  {
    assertionToken: Type.String({ description: 'A JWT that identifies the player.' }),
    tokenType: Type.Literal('Bearer'),
    expiresIn: Type.Integer({ description: 'Seconds until the assertion expires.' }),
    audience: Type.String(),
    refreshToken: Type.Optional(
      Type.String({ description: 'An opaque token. It works once, for this audience.' }),
    ),
  },
  { title: 'AssertionResult' },
);

export const ValidateAssertionRequest = Type.Object(
  {
    audience: Type.Optional(Name(AUDIENCE_LENGTH, 'The audience that the assertion must have.')),
  },
  { title: 'ValidateAssertionRequest' },
);

export const ValidatedAssertion = Type.Object(
  {
    active: Type.Literal(true),
    playerId: Guid,
    tenantId: Guid,
    sessionId: Guid,
    audience: Type.String(),
    displayName: Type.Optional(Type.String()),
    email: Type.Optional(Type.String()),
    issuedAt: Timestamp,
    expiresAt: Timestamp,
  },
  { title: 'ValidatedAssertion' },
);
