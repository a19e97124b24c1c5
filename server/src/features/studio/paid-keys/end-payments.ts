import { enterScope, type Database, type Querier } from '../../../database/database.ts';
import type { Author } from '../../../core/author.ts';
import { ProblemError } from '../../../core/problem.ts';
import { auditAll } from '../../platform/audit/index.ts';
import type { MailServices } from '../../messages/mail/index.ts';
import { notifyTeam } from '../../messages/notifications/index.ts';
import { lockWorkspace } from '../workspaces/index.ts';
import { endAgreements, type KeyOfPayment } from './queries.ts';

/** Why a payment ended, as the notification says it. */
const REASONS = {
  revoked: 'the agreement was revoked',
  role_lost: 'the account that agreed lost the role of owner or admin',
  payer_removed: 'its workspace removed the payer',
  payer_replaced: 'another workspace pays for it now',
  key_revoked: 'the key was revoked',
};

/** Payments of one workspace that ended for one reason. */
export interface PaymentEnd {
  payerId: string;
  ended: KeyOfPayment[];
  reason: keyof typeof REASONS;
}

export interface EndPaymentServices extends MailServices {
  database: Database;
  /** The cache of keys, which contains their payers. */
  keys: { invalidate(payerId: string): void };
}

/**
 * Ends the agreement of a key. Later reads with any key of the agreement are billed to the keys' own workspace. A rotation locks the
 * team in share mode, so it either commits before this lock, or finds no payer. Throws not_found.
 */
export async function endPayment(
  services: EndPaymentServices,
  author: Author,
  { workspaceId, keyId }: { workspaceId: string; keyId: string },
): Promise<void> {
  await services.database.forWorkspace(workspaceId).transaction(async (transaction) => {
    await lockWorkspace(transaction, workspaceId);
    const ended = await endAgreements(transaction, { keyId });
    if (ended.length === 0) throw new ProblemError('not_found', 'The workspace does not pay for this key.');
    await announceEnd(services, transaction, author, { payerId: workspaceId, ended, reason: 'revoked' });
  });
  services.keys.invalidate(workspaceId);
}

/**
 * Ends all payments that a member agreed to. Runs in the transaction in which the member loses the role of owner or admin. The
 * caller must lock the team, so that no new agreement is made at the same time, and invalidate the keys of the payer after the
 * commit.
 */
export async function endPaymentsOf(
  services: MailServices,
  transaction: Querier,
  author: Author,
  { workspaceId, userId }: { workspaceId: string; userId: string },
): Promise<void> {
  const ended = await endAgreements(transaction, { agreedBy: userId });
  if (ended.length === 0) return;
  await announceEnd(services, transaction, author, { payerId: workspaceId, ended, reason: 'role_lost' });
}

async function announceEnd(
  services: MailServices,
  transaction: Querier,
  author: Author,
  end: PaymentEnd,
): Promise<void> {
  await auditInPayer(transaction, author, end);
  await notifyTeams(services, transaction, end);
  await auditInTenants(transaction, author, end);
}

/** Writes the audit records of the paying workspace. */
export async function auditInPayer(
  transaction: Querier,
  author: Author,
  { payerId, ended, reason }: PaymentEnd,
): Promise<void> {
  await auditAll(
    transaction,
    ended.map(({ keyId, prefix, tenantId }) => ({
      ...author,
      action: 'paid_key.ended',
      workspaceId: payerId,
      targetId: keyId,
      details: { before: { prefix, tenantId }, reason },
    })),
  );
}

/** Notifies the paying workspace, and the workspaces of the keys if they pay from now on. */
export async function notifyTeams(
  services: MailServices,
  transaction: Querier,
  { payerId, ended, reason }: PaymentEnd,
): Promise<void> {
  await notifyTeam(services, transaction, payerId, {
    type: 'paid_key.ended',
    title: 'Your workspace no longer pays for an API key',
    text: `Your workspace no longer pays for the reads of ${prefixes(ended)}: ${REASONS[reason]}.`,
    data: { keyIds: ended.map(({ keyId }) => keyId).slice(0, SHOWN), reason },
  });
  // In these cases, the keys' own workspace does not pay.
  if (reason === 'key_revoked' || reason === 'payer_replaced') return;
  for (const [ownWorkspaceId, keys = []] of Map.groupBy(ended, (key) => key.ownWorkspaceId))
    await notifyTeam(services, transaction, ownWorkspaceId, {
      type: 'paid_key.ended',
      title: 'Your workspace pays for an API key again',
      text: `Another workspace no longer pays for the reads of ${prefixes(keys)}. Your workspace is billed for them from now on.`,
      data: { keyIds: keys.map(({ keyId }) => keyId).slice(0, SHOWN), reason },
    });
}

/** Writes the audit records of the tenants whose keys lost their payer. Enters the scopes of these tenants. */
async function auditInTenants(
  transaction: Querier,
  author: Author,
  { payerId, ended, reason }: PaymentEnd,
): Promise<void> {
  for (const [tenantId, keys] of Map.groupBy(ended, (key) => key.tenantId)) {
    await enterScope(transaction, 'tenant_id', tenantId);
    await auditAll(
      transaction,
      keys.map(({ keyId }) => ({
        // The IP address is omitted, because the author belongs to another workspace.
        actor: author.actor,
        action: 'api_key.payer_ended',
        tenantId,
        targetId: keyId,
        details: {
          before: { subscriberWorkspaceId: payerId },
          after: { subscriberWorkspaceId: null },
          reason,
        },
      })),
    );
  }
}

/** How many keys a notification names. */
const SHOWN = 10;

function prefixes(keys: KeyOfPayment[]): string {
  const shown = keys.slice(0, SHOWN).map(({ prefix }) => `${prefix}…`);
  const more = keys.length - shown.length;
  return `${keys.length === 1 ? 'the API key' : 'the API keys'} ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
