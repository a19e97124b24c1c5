import { Type } from 'typebox';
import { Guid, LargeInteger, OneOf, Page, PageQuery, TimeFilter, Timestamp } from '../../../http/schemas.ts';
import { alertTypes } from './queries.ts';

export const AlertQuery = Type.Object({
  ...PageQuery.properties,
  tenantId: Type.Optional(Guid),
  type: Type.Optional(OneOf(alertTypes, { title: 'AlertType' })),
  keyId: Type.Optional(Guid),
  ...TimeFilter('alerts raised'),
});

export const AlertPage = Page(
  Type.Object(
    {
      id: Guid,
      type: OneOf(alertTypes, {
        title: 'AlertType',
        description: '`rate_spike`: requests per minute. `payload_spike`: inbound bytes per minute.',
      }),
      keyKind: OneOf(['game', 'api'], { title: 'KeyKind' }),
      keyId: Guid,
      tenantId: Guid,
      threshold: LargeInteger('The threshold when the alert was raised.'),
      observed: LargeInteger('The requests or bytes within the minute when the alert was raised.'),
      windowStart: Type.String({ ...Timestamp, description: 'The start of the minute.' }),
      createdAt: Timestamp,
    },
    { title: 'Alert' },
  ),
);

export const AlertSettings = Type.Object(
  {
    rateLimitPerMinute: Type.Integer({
      minimum: 1,
      maximum: 2 ** 31 - 1,
      description: 'A key that sends more requests within a minute raises an alert.',
    }),
    payloadBytesPerMinute: Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'A key that sends more bytes within a minute raises an alert.',
    }),
  },
  { title: 'AlertSettings' },
);

export const UpdateAlertSettingsRequest = Type.Partial(AlertSettings, {
  title: 'UpdateAlertSettingsRequest',
});
