import type { Querier } from '../../../database/database.ts';
import type { MailServices } from '../../messages/mail/index.ts';
import { notifyTeam } from '../../messages/notifications/index.ts';
import { publish } from '../../messages/webhooks/index.ts';
import type { UsageWarning } from './queries.ts';

/** Tells a workspace's team, and its webhooks, how much of the plan is used: in the transaction that found it out. */
export async function warnOfUsage(
  services: MailServices,
  transaction: Querier,
  { workspaceId, ...data }: UsageWarning,
): Promise<void> {
  const { percent, used, limit, periodEnd } = data;
  await notifyTeam(services, transaction, workspaceId, {
    type: 'usage.warning',
    title: `${percent} % of the units of your plan are used`,
    text: `${count(used)} of ${count(limit)} units of this month are used. The next period begins on ${periodEnd.slice(0, 10)}.`,
    data,
  });
  await publish(services, transaction, { type: 'usage.warning', workspaceId, data });
}

const count = (units: number) => units.toLocaleString('en-US');
