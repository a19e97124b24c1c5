import type { Querier } from '../../../database/database.ts';
import type { PageRequest } from '../../../core/page.ts';
import { ProblemError } from '../../../core/problem.ts';
import {
  countNotifications,
  listNotifications,
  markRead,
  type Notification,
  type NotificationFilter,
} from './queries.ts';

/** A page of what an account was told, the newest first, and how much of it all is unread. */
export async function readNotifications(
  db: Querier,
  filter: NotificationFilter,
  { limit, offset }: PageRequest,
) {
  const [items, count] = await Promise.all([
    listNotifications(db, filter, { limit, offset }),
    countNotifications(db, filter.accountId),
  ]);
  const totalCount = filter.unreadOnly ? count.unread : count.all;
  return { items, limit, offset, totalCount, unreadCount: count.unread };
}

/** Marks one as read; again changes nothing. Throws not_found where the account has no such one. */
export async function readNotification(
  db: Querier,
  accountId: string,
  notificationId: string,
): Promise<Notification> {
  const notification = await markRead(db, accountId, notificationId);
  if (!notification) throw new ProblemError('not_found');
  return notification;
}
