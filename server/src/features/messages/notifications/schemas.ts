import { Type } from 'typebox';
import { Guid, Metadata, Nullable, Page, PageQuery, Timestamp } from '../../../http/schemas.ts';

export const NotificationParams = Type.Object({ notificationId: Guid });

export const NotificationQuery = Type.Object({
  ...PageQuery.properties,
  unreadOnly: Type.Boolean({ default: false }),
});

export const Notification = Type.Object({
  id: Guid,
  type: Type.String({ description: 'What it is about, for programs: `alert.rate_spike` and the like.' }),
  title: Type.String(),
  text: Type.String(),
  data: Type.Unsafe<Record<string, unknown>>({
    ...Metadata,
    description: 'Names what it is about, for programs. What is in it depends on the type.',
  }),
  workspaceId: Nullable(
    Type.Unsafe<string>({ ...Guid, description: 'Null: it is about the deployment, not a workspace.' }),
  ),
  tenantId: Nullable(Type.Unsafe<string>({ ...Guid, description: 'Null: it is not about one tenant.' })),
  createdAt: Timestamp,
  readAt: Nullable(Timestamp),
});

export const NotificationPage = Type.Object({
  ...Page(Notification).properties,
  unreadCount: Type.Integer({ description: 'Of all of the caller’s notifications.' }),
});

export const AllRead = Type.Object({
  markedCount: Type.Integer({ description: 'How many were unread before.' }),
});

export const StreamHeaders = Type.Object({
  'last-event-id': Type.Optional(
    Type.Unsafe<string>({
      ...Guid,
      description: 'The `id` of the last notification seen: the stream goes on right after it.',
    }),
  ),
});
