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

const TITLES: Record<AlertType, string> = { rate_spike: 'Rate spike', payload_spike: 'Payload spike' };

function textOf({ type, keyKind, keyName, tenantName, observed, threshold }: PendingAlert) {
  const title = TITLES[type];
  const kind = `${keyKind === 'api' ? 'API' : 'game'} key`;
  const key = `${kind} ${quoted(keyName)} of the game ${quoted(tenantName)}`;
  const [sent, limit] =
    type === 'payload_spike'
      ? [`${formatBytes(observed)} (${formatNumber(observed)} bytes)`, formatBytes(threshold)]
      : [`${formatNumber(observed)} requests`, formatNumber(threshold)];
  return {
    title: `${title}: the ${key}`,
    subject: `${title} on ${keyKind === 'api' ? 'an' : 'a'} ${kind}`,
    text: `The ${key} sent ${sent} in one minute. Threshold: ${limit}. An alert refuses no requests.`,
  };
}

const formatNumber = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 1 });

const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** The units of the console, which shows and changes the thresholds. */
function formatBytes(bytes: number): string {
  const unit = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), BYTE_UNITS.length - 1);
  return `${formatNumber(bytes / 1024 ** unit)} ${BYTE_UNITS[unit]}`;
}
