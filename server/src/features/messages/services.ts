import { openNotificationFeed, type FeedServices } from './notifications/index.ts';

export function openMessageServices(services: FeedServices) {
  return { notificationFeed: openNotificationFeed(services) };
}
