import type { Querier } from '../../../database/database.ts';
import type { AccountAuthor, Author } from '../../../core/author.ts';
import { ProblemError } from '../../../core/problem.ts';
import { audit } from '../../platform/audit/index.ts';
import type { MailServices } from '../../messages/mail/index.ts';
import { notifyTeam } from '../../messages/notifications/index.ts';
import { findRole } from '../workspaces/index.ts';
import { lockTeamForShare, type KeyOfPayment } from './queries.ts';

/**
 * Checks that the author can agree that a workspace pays for the reads of a key. Runs in the caller's transaction. Call it
 * before you lock the key: transactions that change the team lock the workspace first and then the keys. Throws not_found if
 * the author is not a member, and forbidden if the author is neither owner nor admin.
 */
export async function requirePayer(
  transaction: Querier,
  { actor }: AccountAuthor,
  workspaceId: string,
): Promise<void> {
  await lockTeamForShare(transaction, workspaceId);
  // This must be a separate statement. It then sees a change of the team that committed while the lock was waiting.
  const member = await findRole(transaction, actor.id, { workspaceId });
  if (!member)
    throw refusal('not_found', 'The paying workspace does not exist, or you are not a member of it.');
  if (member.role === 'viewer')
    throw refusal('forbidden', 'Only an owner or admin of the paying workspace may name it as payer.');
}

/** A refusal of the payer, which is a field of a form. */
function refusal(code: 'not_found' | 'forbidden', message: string): ProblemError {
  return new ProblemError(code, {
    detail: message,
    members: { errors: [{ path: 'subscriberWorkspaceId', message }] },
  });
}

/** A key and the workspace that agreed to pay for its reads. */
export interface Agreement extends KeyOfPayment {
  payerId: string;
}

/**
 * Writes the audit record of an agreement in the paying workspace, and notifies both teams. The caller audits the change of the
 * key.
 */
export async function announceAgreement(
  services: MailServices,
  transaction: Querier,
  author: Author,
  { payerId, keyId, prefix, tenantId, ownWorkspaceId }: Agreement,
): Promise<void> {
  if (payerId === ownWorkspaceId) return;
  const details = { after: { prefix, tenantId } };
  await audit(transaction, {
    ...author,
    action: 'paid_key.agreed',
    workspaceId: payerId,
    targetId: keyId,
    details,
  });
  // The texts contain no names, because another workspace chose them.
  await notifyTeam(services, transaction, payerId, {
    type: 'paid_key.agreed',
    title: 'Your workspace pays for an API key',
    text: `An owner or admin of your workspace agreed to pay for the reads of the API key ${prefix}… of another workspace. Revoke the agreement in the list of paid keys.`,
    data: { keyId, tenantId },
  });
  await notifyTeam(services, transaction, ownWorkspaceId, {
    type: 'paid_key.agreed',
    title: 'Another workspace pays for an API key',
    text: `Another workspace pays for the reads of your API key ${prefix}… from now on.`,
    data: { keyId, payerId },
    tenantId,
  });
}

/**
 * Writes the audit record of a rotation in the paying workspace. Notifies nobody: the agreement is the same, and the other workspace
 * could otherwise use up the mails of the payer. The record has no IP address, because its author may belong to the other workspace
 * only.
 */
export async function auditRotation(
  transaction: Querier,
  { actor }: Author,
  { payerId, keyId, prefix, tenantId, ownWorkspaceId }: Agreement,
  rotatedFrom: string,
): Promise<void> {
  if (payerId === ownWorkspaceId) return;
  const details = { after: { prefix, tenantId }, rotatedFrom };
  await audit(transaction, {
    actor,
    action: 'paid_key.agreed',
    workspaceId: payerId,
    targetId: keyId,
    details,
  });
}
