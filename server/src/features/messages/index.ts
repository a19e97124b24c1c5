import type { Database } from '../../database/database.ts';
import { behind, job } from '../feature-group.ts';
import { deleteOldMails, deliverMail, mailQueue, outboxRoutes } from './mail/index.ts';
import { deleteOldNotifications, notificationRoutes } from './notifications/index.ts';
import {
  attemptDelivery,
  continueRedelivery,
  deleteOldDeliveries,
  deliveryQueue,
  listOwners,
  platformWebhookRoutes,
  redeliveryQueue,
  workspaceWebhookRoutes,
} from './webhooks/index.ts';

/** The group that notifies people and servers: mail, notifications and webhooks. */
export const messages = {
  routes: [
    behind('account', notificationRoutes, workspaceWebhookRoutes),
    behind('platformAdmin', outboxRoutes, platformWebhookRoutes),
  ],
  jobs: [
    job(mailQueue, deliverMail),
    job(
      deliveryQueue,
      attemptDelivery,
      ({ database }) =>
        (webhookIds) =>
          listOwners(database.forPlatform(), webhookIds),
    ),
    job(redeliveryQueue, continueRedelivery),
  ],
  schedules: [
    { name: 'delete-old-mails', cron: '7 * * * *', run: deleteOldMails },
    {
      name: 'delete-old-webhook-deliveries',
      cron: '27 * * * *',
      run: (database: Database) => deleteOldDeliveries(database.forPlatform()),
    },
  ],
  expiry: { ofPlatform: [deleteOldNotifications] },
};
