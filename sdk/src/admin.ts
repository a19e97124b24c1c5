export {
  createAdminClient,
  type AccountUser,
  type AdminCalls,
  type AdminClient,
  type AdminClientOptions,
  type SecondFactorNeeded,
} from './admin/client.ts';
export type { Notification, NotificationFeed, NotificationFeedOptions } from './admin/notifications.ts';
export * from './common.ts';
export { localStorage } from './storage/local-storage.ts';
