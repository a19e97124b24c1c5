import { Type } from 'typebox';
import { Guid, Timestamp } from '../../../http/schemas.ts';

export const StartedLogin = Type.Object(
  {
    authUrl: Type.String({ description: 'The URL at which the browser signs in to StoreA.' }),
    expiresAt: Timestamp,
  },
  { title: 'StartedPortalLogin' },
);

export const FinishPortalLoginRequest = Type.Object(
  {
    callbackUrl: Type.String({
      minLength: 1,
      maxLength: 16_384,
      description: 'The complete, unchanged URL to which StoreA redirected the browser.',
    }),
  },
  { title: 'FinishPortalLoginRequest' },
);

/** The response of every portal sign-in and of the refresh. */
export const PortalTokens = Type.Object(
  {
    accessToken: Type.String({ description: 'A JWT for `Authorization: Bearer`.' }),
    refreshToken: Type.String({ description: 'An opaque token. It works once and returns the next pair.' }),
    tokenType: Type.Literal('Bearer'),
    expiresIn: Type.Integer({ description: 'Seconds until the access token expires.' }),
    playerId: Guid,
  },
  { title: 'PortalTokens' },
);

export const PortalSessionRequest = Type.Object(
  { refreshToken: Type.String({ minLength: 1, maxLength: 512 }) },
  { title: 'PortalSessionRequest' },
);
