import type { BaseServices } from '../base-services.ts';
import { measureMails } from './mail/index.ts';
import { openNotificationFeed, type FeedServices } from './notifications/index.ts';
import { measureWebhooks } from './webhooks/index.ts';

export function openMessageServices(services: FeedServices & Pick<BaseServices, 'metrics'>) {
  measureMails(services.metrics, services.database);
  measureWebhooks(services.metrics, services.database);
  return { notificationFeed: openNotificationFeed(services) };
}
