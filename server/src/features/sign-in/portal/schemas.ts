import { Type } from 'typebox';
import { Guid, Timestamp } from '../../../http/schemas.ts';

export const StartedLogin = Type.Object({
  authUrl: Type.String({ description: 'Where the browser goes to sign in at the store.' }),
  expiresAt: Timestamp,
});

export const ExchangeBody = Type.Object({
  callbackUrl: Type.String({
    minLength: 1,
    maxLength: 16_384,
    description: 'The whole address at which the browser came back from the store, as it stands.',
  }),
});

/** What every door of the portal answers (contract §10). */
export const PortalTokens = Type.Object({
  accessToken: Type.String({ description: 'A JWT for `Authorization: Bearer`.' }),
  refreshToken: Type.String({ description: 'Opaque; works once, for the next pair.' }),
  tokenType: Type.Literal('Bearer'),
  expiresIn: Type.Integer({ description: 'Seconds until the access token expires.' }),
  playerId: Guid,
});

export const SessionBody = Type.Object({ refreshToken: Type.String({ minLength: 1, maxLength: 512 }) });
