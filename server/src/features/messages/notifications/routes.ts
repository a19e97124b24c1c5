import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Database } from '../../../database/database.ts';
import { eventStream, sendEvents, type ServerSentEvent } from '../../../http/event-stream.ts';
import { accountOf } from '../../../http/request-context.ts';
import type { NotificationFeed, NotificationStream } from './notification-feed.ts';
import { markAllNotificationsRead, markNotificationRead, readNotifications } from './read-notifications.ts';
import {
  MarkedNotifications,
  Notification,
  NotificationPage,
  NotificationParams,
  NotificationQuery,
  StreamHeaders,
} from './schemas.ts';

const tags = ['Notifications'];

/** Authenticated by a console account. Each account sees only its own notifications. */
export function notificationRoutes({
  database,
  notificationFeed,
}: {
  database: Database;
  notificationFeed: NotificationFeed;
}): FastifyPluginAsyncTypebox {
  return async (app) => {
    // Ends the streams before the server waits for open responses. Streams do not end by themselves.
    app.addHook('preClose', async () => notificationFeed.close());

    app.get(
      '/api/notifications',
      {
        schema: {
          operationId: 'listNotifications',
          tags,
          summary: 'List notifications',
          description:
            'Returns your notifications of the last 90 days in pages, newest first, at most the last 10,000.',
          querystring: NotificationQuery,
          response: { 200: NotificationPage },
        },
      },
      async (request) => {
        const { unreadOnly, ...page } = request.query;
        const { accountId } = accountOf(request);
        return readNotifications(database, { accountId, unreadOnly }, page);
      },
    );

    app.get(
      '/api/notifications/stream',
      {
        config: { staysOpen: true },
        schema: {
          operationId: 'streamNotifications',
          tags,
          summary: 'Stream notifications',
          description:
            'Sends your notifications as server-sent events. The client must send the `Authorization` header, so use `fetch`: ' +
            'the `EventSource` of browsers cannot send it. Each `notification` event contains the notification as its data and ' +
            'the ID of the notification as its `id`. To resume, send the last ID that you have received, from a stream or from ' +
            'the list, as `Last-Event-ID`. The stream then continues after this notification without gaps or duplicates. ' +
            'Without the header, the stream begins with the next notification.\n\n' +
            'The server sends a comment every 20 seconds. Before it ends the stream, it sends an `end` event with a reason. ' +
            '`token_expired`: refresh the token, then reconnect. `session_ended`: sign in again. `server_stopping` or ' +
            '`unavailable`: reconnect after some seconds. The server disconnects a client that reads nothing for 30 seconds. ' +
            'An account may have 10 open streams at each server. More are rejected with 429.',
          headers: StreamHeaders,
          response: {
            200: eventStream(
              'Server-sent events, for example\n\n```\nid: 0199e0c5-…\nevent: notification\ndata: {"id":"0199e0c5-…",…}\n```',
            ),
          },
        },
      },
      async (request, reply) => {
        const lastSeen = request.headers['last-event-id'];
        const stream = await notificationFeed.open(accountOf(request), lastSeen);
        return sendEvents(reply, { events: toServerSentEvents(stream), close: stream.close });
      },
    );

    app.post(
      '/api/notifications/:notificationId/read',
      {
        schema: {
          operationId: 'markNotificationRead',
          tags,
          summary: 'Mark a notification as read',
          description: 'Sets `readAt`. Idempotent: a second call keeps the first time.',
          params: NotificationParams,
          response: { 200: Notification },
        },
      },
      async (request) => {
        const { accountId } = accountOf(request);
        return markNotificationRead(database, accountId, request.params.notificationId);
      },
    );

    app.post(
      '/api/notifications/read-all',
      {
        schema: {
          operationId: 'markAllNotificationsRead',
          tags,
          summary: 'Mark all notifications as read',
          description: 'Sets `readAt` of all unread notifications of your account. Idempotent.',
          response: { 200: MarkedNotifications },
        },
      },
      async (request) => markAllNotificationsRead(database, accountOf(request).accountId),
    );
  };
}

async function* toServerSentEvents({ items }: NotificationStream): AsyncGenerator<ServerSentEvent> {
  for await (const item of items) {
    if ('ended' in item) yield { event: 'end', data: { reason: item.ended } };
    else yield { event: 'notification', id: item.id, data: item };
  }
}
