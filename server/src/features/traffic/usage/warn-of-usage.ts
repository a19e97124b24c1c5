import type { Querier } from '../../../database/database.ts';
import type { MailServices } from '../../messages/mail/index.ts';
import { notifyTeam } from '../../messages/notifications/index.ts';
import { publish } from '../../messages/webhooks/index.ts';
import { findQuota, insertWarnings, type UsageWarning, type WorkspaceUsage } from './queries.ts';

/** Percentages of the plan's units at which the workspace is warned. */
const WARN_AT_PERCENT = [75, 90, 100] as const;

/**
 * Warns each workspace that has reached a warning percentage, once per percentage, period and plan. If it has reached several at
 * once, only the highest is sent.
 */
export async function warnOfUsage(
  services: MailServices,
  transaction: Querier,
  usage: WorkspaceUsage[],
): Promise<void> {
  if (usage.length === 0) return;
  const due = await insertWarnings(transaction, usage, WARN_AT_PERCENT);
  const highest = new Map(due.map((warning) => [warning.workspaceId, warning]));
  for (const warning of highest.values()) await sendWarning(services, transaction, warning);
}

/**
 * Warns a workspace whose plan the transaction has changed. If a hard stop is below its usage, no unit is charged any more, so the
 * aggregation does not see the workspace.
 */
export async function warnOfPlan(
  services: MailServices,
  transaction: Querier,
  workspaceId: string,
): Promise<void> {
  const quota = await findQuota(transaction, workspaceId);
  if (quota) await warnOfUsage(services, transaction, [{ workspaceId, used: quota.used }]);
}

/** Notifies the team and the webhooks of a workspace about the share of its plan that is used. */
async function sendWarning(
  services: MailServices,
  transaction: Querier,
  { workspaceId, ...data }: UsageWarning,
): Promise<void> {
  const { percent, used, limit, periodEnd } = data;
  await notifyTeam(services, transaction, workspaceId, (workspace) => ({
    type: 'usage.warning',
    title: `${percent} % of the units of the workspace ${workspace} are used`,
    subject: `${percent} % of the units of your plan are used`,
    text: `The workspace ${workspace} has used ${count(used)} of ${count(limit)} units of this month. The next period begins on ${periodEnd.slice(0, 10)}.`,
    data,
    toUnverified: true,
  }));
  await publish(services, transaction, { type: 'usage.warning', data: { workspaceId, ...data } });
}

const count = (units: number) => units.toLocaleString('en-US');
