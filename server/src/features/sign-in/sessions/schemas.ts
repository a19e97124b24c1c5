import { Type } from 'typebox';
import { Guid, OneOf, Timestamp } from '../../../http/schemas.ts';
import { logoutReasons } from './logout-reasons.ts';

export const LogoutRequest = Type.Object(
  {
    sessionId: Guid,
    deviceId: Type.Optional(Type.String({ ...Guid, description: 'Stored in the logout ledger.' })),
  },
  { title: 'LogoutRequest' },
);

export const LogoutResult = Type.Object(
  {
    sessionId: Guid,
    endedAt: Timestamp,
    reason: OneOf(logoutReasons, { title: 'LogoutReason' }),
  },
  { title: 'LogoutResult' },
);
