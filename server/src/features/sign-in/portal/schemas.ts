import { Type } from 'typebox';
import { Timestamp } from '../../../http/schemas.ts';
import { refreshTokenField } from '../refresh-tokens/index.ts';
import { tokenFields } from '../tokens/index.ts';

export const StartedPortalLogin = Type.Object(
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
export const PortalTokens = Type.Object(tokenFields, { title: 'PortalTokens' });

export const PortalSessionRequest = Type.Object(refreshTokenField, { title: 'PortalSessionRequest' });
