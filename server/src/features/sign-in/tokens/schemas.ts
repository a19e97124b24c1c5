import { Type } from 'typebox';
import { Guid, Nullable, Timestamp } from '../../../http/schemas.ts';
import { refreshTokenField } from '../refresh-tokens/index.ts';

/** The tokens of a session of a player. */
export const tokenFields = {
  accessToken: Type.String({ description: 'A JWT for `Authorization: Bearer`.' }),
  refreshToken: Type.String({ description: 'An opaque token. It works once and returns the next pair.' }),
  tokenType: Type.Literal('Bearer'),
  expiresIn: Type.Integer({ description: 'Seconds until the access token expires.' }),
  playerId: Guid,
};

/** The response of every login and of the refresh. */
export const LoginResult = Type.Object(
  {
    ...tokenFields,
    isNewPlayer: Type.Boolean({ description: 'Whether this request created the player.' }),
    tenantId: Guid,
    sessionId: Guid,
  },
  { title: 'LoginResult' },
);

export const RefreshRequest = Type.Object(refreshTokenField, { title: 'RefreshRequest' });

export const VerifiedPlayer = Type.Object(
  {
    playerId: Guid,
    sessionId: Guid,
    displayName: Nullable(Type.String()),
    tenantRole: Type.String({ description: 'The player’s role in the game. The default is `player`.' }),
    expiresAt: Type.String({ ...Timestamp, description: 'When the access token expires.' }),
  },
  { title: 'VerifiedPlayer' },
);
