export { openNotificationFeed, type NotificationFeed } from './notification-feed.ts';
export { notifyPlatformAdmins, notifyTeam, type Notice } from './notify.ts';
export { deleteOldNotifications } from './queries.ts';
export { notificationRoutes } from './routes.ts';
