import { Type } from 'typebox';
import { Guid, Metadata, Nullable, Page, PageQuery, Timestamp } from '../../../http/schemas.ts';

export const NotificationParams = Type.Object({ notificationId: Guid });

export const NotificationQuery = Type.Object({
  ...PageQuery.properties,
  unreadOnly: Type.Boolean({ default: false }),
});

export const Notification = Type.Object(
  {
    id: Guid,
    type: Type.String({ description: 'The machine-readable type, such as `alert.rate_spike`.' }),
    title: Type.String(),
    text: Type.String(),
    data: Type.Unsafe<Record<string, unknown>>({
      ...Metadata,
      description: 'Machine-readable details. The members depend on the type.',
    }),
    workspaceId: Nullable(
      Type.String({ ...Guid, description: 'Null if the notification concerns the deployment.' }),
    ),
    tenantId: Nullable(
      Type.String({ ...Guid, description: 'Null if the notification does not concern one tenant.' }),
    ),
    createdAt: Timestamp,
    readAt: Nullable(Timestamp),
  },
  { title: 'Notification' },
);

export const NotificationPage = Type.Object(
  {
    ...Page(Notification).properties,
    unreadCount: Type.Integer({ description: 'The number of unread notifications across all pages.' }),
  },
  { title: 'NotificationPage' },
);

export const MarkedNotifications = Type.Object(
  {
    markedCount: Type.Integer({ description: 'The number of notifications that were unread.' }),
  },
  { title: 'MarkedNotifications' },
);

export const StreamHeaders = Type.Object({
  'last-event-id': Type.Optional(
    Type.String({
      ...Guid,
      description:
        'The ID of the last notification that the client has received. The stream continues after it.',
    }),
  ),
});
