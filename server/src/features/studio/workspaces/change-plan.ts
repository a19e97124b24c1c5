import type { Database } from '../../../database/database.ts';
import type { Author } from '../../../core/author.ts';
import { ProblemError } from '../../../core/problem.ts';
import { audit, difference } from '../../platform/audit/index.ts';
import type { MailServices } from '../../messages/mail/index.ts';
import { warnOfPlan } from '../../traffic/usage/index.ts';
import { lockPlan, updatePlan, type Plan } from './queries.ts';

/** The limits that a request changes. Omitted limits keep their value. */
interface PlanChange extends Partial<Omit<Plan, 'rateLimit'>> {
  rateLimit?: Partial<Plan['rateLimit']>;
}

export interface PlanServices extends MailServices {
  database: Database;
  /** The cache of keys, which contains the plans of their workspaces. */
  keys: { invalidate(workspaceId: string): void };
  /** The usage meter, which caches the plans. */
  meter: { invalidate(workspaceId: string): void };
}

/** Changes the plan of a workspace, and warns the workspace if it has used that much of it. Throws not_found. */
export async function changePlan(
  services: PlanServices,
  author: Author,
  workspaceId: string,
  change: PlanChange,
): Promise<Plan> {
  const { database, keys, meter } = services;
  const plan = await database.forWorkspace(workspaceId).transaction(async (transaction) => {
    const before = await lockPlan(transaction, workspaceId);
    if (!before) throw new ProblemError('not_found');
    const after = { ...before, ...change, rateLimit: { ...before.rateLimit, ...change.rateLimit } };
    const details = difference(before, after);
    if (!details) return before;
    await updatePlan(transaction, workspaceId, after);
    await audit(transaction, {
      ...author,
      action: 'workspace.plan_changed',
      workspaceId,
      targetId: workspaceId,
      details,
    });
    await warnOfPlan(services, transaction, workspaceId);
    return after;
  });
  keys.invalidate(workspaceId);
  meter.invalidate(workspaceId);
  return plan;
}
