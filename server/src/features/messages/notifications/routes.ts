import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Database } from '../../../database/database.ts';
import { eventStream, sendEvents, type ServerSentEvent } from '../../../http/event-stream.ts';
import { accountOf } from '../../../http/request-context.ts';
import { problems } from '../../../http/schemas.ts';
import type { NotificationFeed, NotificationStream } from './notification-feed.ts';
import { markAllRead } from './queries.ts';
import { readNotification, readNotifications } from './read-notifications.ts';
import {
  AllRead,
  Notification,
  NotificationPage,
  NotificationParams,
  NotificationQuery,
  StreamHeaders,
} from './schemas.ts';

const tags = ['Notifications'];

/** Behind a dashboard account: what the caller was told, and nobody else. */
export function notificationRoutes({
  database,
  notificationFeed,
}: {
  database: Database;
  notificationFeed: NotificationFeed;
}): FastifyPluginAsyncTypebox {
  return async (app) => {
    // Before the server waits for its answers to end, which streams do not by themselves.
    app.addHook('preClose', async () => notificationFeed.close());

    app.get(
      '/api/notifications',
      {
        schema: {
          operationId: 'listNotifications',
          tags,
          summary: 'What you were told',
          description: 'The newest first. They are kept for 90 days.',
          querystring: NotificationQuery,
          response: { 200: NotificationPage },
        },
      },
      async (request) => {
        const { unreadOnly, ...page } = request.query;
        const { accountId } = accountOf(request);
        return readNotifications(database.forAccount(accountId), { accountId, unreadOnly }, page);
      },
    );

    app.get(
      '/api/notifications/stream',
      {
        config: { staysOpen: true },
        schema: {
          operationId: 'streamNotifications',
          tags,
          summary: 'What you are told, live',
          description:
            'Server-sent events, for clients that can send the `Authorization` header (by `fetch`; the browser’s `EventSource` ' +
            'cannot). Each `notification` event has the notification as its data and its id as its `id`. Send the last id that ' +
            'you have seen as `Last-Event-ID`, from this stream or from the list, and the stream goes on right after it: ' +
            'nothing is left out, nothing comes twice. Without it the stream begins with what comes next.\n\n' +
            'A comment comes every 20 seconds. Before the stream ends by itself, an `end` event says why: `token_expired` ' +
            '(refresh, then come back), `session_ended` (sign in again), `server_stopping` or `unavailable` (come back in a ' +
            'moment). A client that reads nothing for 30 seconds is dropped. An account may have 10 streams open at each ' +
            'server process (429).',
          headers: StreamHeaders,
          response: {
            200: eventStream(
              'Events until the stream ends, such as\n\n```\nid: 0199e0c5-…\nevent: notification\ndata: {"id":"0199e0c5-…",…}\n```',
            ),
            ...problems(429),
          },
        },
      },
      async (request, reply) => {
        const lastSeen = request.headers['last-event-id'];
        const stream = await notificationFeed.open(accountOf(request), lastSeen);
        return sendEvents(reply, { events: asEvents(stream), close: stream.close });
      },
    );

    app.post(
      '/api/notifications/:notificationId/read',
      {
        schema: {
          operationId: 'readNotification',
          tags,
          summary: 'Mark a notification as read',
          description: 'Again changes nothing: the first time stays.',
          params: NotificationParams,
          response: { 200: Notification },
        },
      },
      async (request) => {
        const { accountId } = accountOf(request);
        return readNotification(database.forAccount(accountId), accountId, request.params.notificationId);
      },
    );

    app.post(
      '/api/notifications/read-all',
      {
        schema: {
          operationId: 'readAllNotifications',
          tags,
          summary: 'Mark all your notifications as read',
          response: { 200: AllRead },
        },
      },
      async (request) => {
        const { accountId } = accountOf(request);
        return { markedCount: await markAllRead(database.forAccount(accountId), accountId) };
      },
    );
  };
}

async function* asEvents({ items }: NotificationStream): AsyncGenerator<ServerSentEvent> {
  for await (const item of items) {
    if ('ended' in item) yield { event: 'end', data: { reason: item.ended } };
    else yield { event: 'notification', id: item.id, data: item };
  }
}
