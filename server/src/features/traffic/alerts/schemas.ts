import { Type } from 'typebox';
import { Guid, OneOf, Page, PageQuery, Timestamp } from '../../../http/schemas.ts';
import { alertTypes } from './alert.ts';

export const WorkspaceParams = Type.Object({ workspaceId: Guid });
export const TenantParams = Type.Object({ tenantId: Guid });

export const AlertQuery = Type.Object({
  ...PageQuery.properties,
  tenantId: Type.Optional(Guid),
  type: Type.Optional(OneOf(alertTypes)),
  keyId: Type.Optional(Guid),
  from: Type.Optional(Type.String({ ...Timestamp, description: 'Those raised at this time or later.' })),
  to: Type.Optional(Type.String({ ...Timestamp, description: 'Those raised before this time.' })),
});

export const AlertPage = Page(
  Type.Object({
    id: Guid,
    type: OneOf(alertTypes, {
      description: '`rate_spike`: requests in a minute; `payload_spike`: inbound bytes in a minute.',
    }),
    keyKind: OneOf(['game', 'api']),
    keyId: Guid,
    tenantId: Guid,
    threshold: Type.Integer({ description: 'As it was then.' }),
    observed: Type.Integer({ description: 'What had come in within the minute when it was noticed.' }),
    windowStart: Type.String({ ...Timestamp, description: 'The begin of the minute.' }),
    createdAt: Timestamp,
  }),
);

export const AlertSettings = Type.Object({
  rateLimitPerMinute: Type.Integer({
    minimum: 1,
    maximum: 2 ** 31 - 1,
    description: 'More requests on one key within a minute raise an alert.',
  }),
  payloadBytesPerMinute: Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'More inbound bytes on one key within a minute raise an alert.',
  }),
});

export const ChangeAlertSettingsBody = Type.Partial(AlertSettings);
