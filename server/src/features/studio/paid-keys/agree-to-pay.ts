import type { Querier } from '../../../database/database.ts';
import type { Author } from '../../../core/author.ts';
import { ProblemError } from '../../../core/problem.ts';
import { auditTrail } from '../../platform/audit/index.ts';
import type { MailServices } from '../../messages/mail/index.ts';
import { notifyTeam } from '../../messages/notifications/index.ts';
import { findRole } from '../workspaces/index.ts';
import { lockTeamForShare } from './queries.ts';

/**
 * Checks that the author can agree that a workspace pays for the reads of a key. Runs in the caller's transaction. Call it
 * before you lock the key: transactions that change the team lock the workspace first and then the keys. Throws not_found if
 * the author is not a member, and forbidden if the author is neither owner nor admin.
 */
export async function requirePayer(
  transaction: Querier,
  { actor }: Author,
  workspaceId: string,
): Promise<void> {
  await lockTeamForShare(transaction, workspaceId);
  // This must be a separate statement. It then sees a change of the team that committed while the lock was waiting.
  const member = actor.id === null ? undefined : await findRole(transaction, actor.id, { workspaceId });
  if (!member) throw new ProblemError('not_found', 'The workspace of subscriberWorkspaceId does not exist.');
  if (member.role === 'viewer')
    throw new ProblemError(
      'forbidden',
      'Only an owner or admin of the paying workspace may name it as payer.',
    );
}

/** A key and the workspace that agreed to pay for its reads. */
export interface Agreement {
  payerId: string;
  keyId: string;
  prefix: string;
  tenantId: string;
  ownWorkspaceId: string;
}

/** The key that a rotation replaced. The payer of a key also pays for its successor. */
export interface RotatedKey {
  keyId: string;
  prefix: string;
}

/**
 * Writes the audit record of an agreement in the paying workspace, and notifies both teams. The caller audits the change of the
 * key. The record of a rotation has no IP address, because its author may belong to the other workspace only.
 */
export async function announceAgreement(
  services: MailServices,
  transaction: Querier,
  author: Author,
  { payerId, keyId, prefix, tenantId, ownWorkspaceId }: Agreement,
  rotated?: RotatedKey,
): Promise<void> {
  if (payerId === ownWorkspaceId) return;
  const details = { after: { prefix, tenantId }, ...(rotated && { rotatedFrom: rotated.keyId }) };
  await auditTrail(transaction, [
    {
      ...(rotated ? { actor: author.actor } : author),
      action: 'paid_key.agreed',
      workspaceId: payerId,
      targetId: keyId,
      details,
    },
  ]);
  const how = rotated
    ? `The API key ${rotated.prefix}… of another workspace was rotated. Your workspace also pays for the reads of its successor ${prefix}….`
    : `An owner or admin of your workspace agreed to pay for the reads of the API key ${prefix}… of another workspace.`;
  // The texts contain no names, because another workspace chose them.
  await notifyTeam(services, transaction, payerId, {
    type: 'paid_key.agreed',
    title: 'Your workspace pays for an API key',
    text: `${how} Revoke the agreement in the list of paid keys.`,
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
