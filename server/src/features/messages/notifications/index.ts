export { openNotificationFeed, type FeedServices } from './notification-feed.ts';
export { notifyPlatformAdmins, notifyTeam } from './notify.ts';
export { deleteOldNotifications } from './queries.ts';
export { notificationRoutes } from './routes.ts';
