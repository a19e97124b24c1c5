import type { Database } from '../database/database.ts';
import { accountResetQueue, mailAccountReset } from '../features/studio/accounts/index.ts';
import { alertQueue, dispatchAlert } from '../features/traffic/alerts/index.ts';
import {
  mailPortalCode,
  mailReset,
  passwordResetQueue,
  portalCodeQueue,
} from '../features/sign-in/email/index.ts';
import { deliverMail, mailQueue, type MailServer } from '../features/messages/mail/index.ts';
import { attemptDelivery, deliveryQueue, listOwners } from '../features/messages/webhooks/index.ts';
import type { Jobs, Queue } from '../jobs/queue.ts';
import { handle, type QueueHandler } from '../jobs/worker.ts';
import type { OutboundClient } from '../outbound/http-client.ts';
import type { Vault } from '../security/vault.ts';

/** Every queue of the deployment. */
export const queues: Queue<object>[] = [
  mailQueue,
  passwordResetQueue,
  accountResetQueue,
  portalCodeQueue,
  deliveryQueue,
  alertQueue,
];

export interface QueuedJobServices {
  database: Database;
  vault: Vault;
  jobs: Jobs;
  /** The address of the deployment. */
  issuer: string;
  mailServer: MailServer | undefined;
  /** For servers that a tenant names. */
  outbound: OutboundClient;
}

/** What the worker does with the jobs of each queue. */
export function queuedJobs(services: QueuedJobServices): QueueHandler[] {
  return [
    handle(mailQueue, ({ mailId }) => deliverMail(services, mailId)),
    handle(passwordResetQueue, (request) => mailReset(services, request)),
    handle(accountResetQueue, ({ email }) => mailAccountReset(services, email)),
    handle(portalCodeQueue, (code) => mailPortalCode(services, code)),
    handle(alertQueue, (alert) => dispatchAlert(services, alert)),
    handle(
      deliveryQueue,
      (job) => attemptDelivery(services, job),
      (endpointIds) => listOwners(services.database.forPlatform(), endpointIds),
    ),
  ];
}
