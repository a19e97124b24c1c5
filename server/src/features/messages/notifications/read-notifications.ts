import type { Database } from '../../../database/database.ts';
import type { PageRequest } from '../../../core/page.ts';
import { ProblemError } from '../../../core/problem.ts';
import {
  countNotifications,
  listNotifications,
  markAllRead,
  markRead,
  type Notification,
  type NotificationFilter,
} from './queries.ts';

/** Reads a page of notifications, newest first, and the number of unread notifications. */
export async function readNotifications(
  database: Database,
  filter: NotificationFilter,
  { limit, offset }: PageRequest,
) {
  const account = database.forAccount(filter.accountId);
  const [items, count] = await Promise.all([
    listNotifications(account, filter, { limit, offset }),
    countNotifications(account, filter.accountId),
  ]);
  const totalCount = filter.unreadOnly ? count.unread : count.all;
  return { items, limit, offset, totalCount, unreadCount: count.unread };
}

/** Marks a notification as read. Idempotent: the first time is kept. Throws `not_found`. */
export async function markNotificationRead(
  database: Database,
  accountId: string,
  notificationId: string,
): Promise<Notification> {
  const notification = await markRead(database.forAccount(accountId), accountId, notificationId);
  if (!notification) throw new ProblemError('not_found');
  return notification;
}

/** Marks all notifications of an account as read. Returns the number of notifications that were unread. */
export async function markAllNotificationsRead(
  database: Database,
  accountId: string,
): Promise<{ markedCount: number }> {
  return { markedCount: await markAllRead(database.forAccount(accountId), accountId) };
}
