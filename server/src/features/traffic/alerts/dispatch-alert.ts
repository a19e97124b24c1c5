import type { Database } from '../../../database/database.ts';
import { quoted, type MailServices } from '../../messages/mail/index.ts';
import { notifyTeam } from '../../messages/notifications/index.ts';
import { publish } from '../../messages/webhooks/index.ts';
import { takeAlert, type AlertType, type PendingAlert } from './queries.ts';

/**
 * Notifies the workspace's team and the subscribed webhooks about an alert. Idempotent: the same transaction marks the alert as
 * dispatched.
 */
export async function dispatchAlert(
  { database, issuer, ...services }: MailServices & { database: Database; issuer: string },
  { tenantId, alertId }: { tenantId: string; alertId: string },
): Promise<void> {
  await database.forTenant(tenantId).transaction(async (transaction) => {
    const alert = await takeAlert(transaction, tenantId, alertId);
    if (!alert) return;
    const { id, keyKind, keyId, threshold, observed, windowStart, createdAt, workspaceId } = alert;
    const type = `alert.${alert.type}` as const;
    const data = { id, keyKind, keyId, threshold, observed, windowStart, createdAt };
    const link = `${issuer}/workspaces/${workspaceId}/alerts?tenantId=${tenantId}`;
    const notice = { type, ...textOf(alert), link, data, tenantId, toUnverified: true };
    await notifyTeam(services, transaction, workspaceId, notice);
    await publish(services, transaction, { type, data: { workspaceId, tenantId, ...data } }, createdAt);
  });
}

const NAMES: Record<AlertType, { title: string; unit: string }> = {
  rate_spike: { title: 'Rate spike', unit: 'requests' },
  payload_spike: { title: 'Payload spike', unit: 'bytes' },
};

function textOf({ type, keyKind, keyName, tenantName, observed, threshold }: PendingAlert) {
  const { title, unit } = NAMES[type];
  const kind = `${keyKind === 'api' ? 'API' : 'game'} key`;
  const key = `${kind} ${quoted(keyName)} of the game ${quoted(tenantName)}`;
  const number = (value: number) => value.toLocaleString('en-US');
  return {
    title: `${title}: the ${key}`,
    subject: `${title} on ${keyKind === 'api' ? 'an' : 'a'} ${kind}`,
    text:
      `The ${key} sent ${number(observed)} ${unit} in one minute. Threshold: ${number(threshold)}. ` +
      'An alert refuses no requests.',
  };
}
