import type { Querier } from '../../../database/database.ts';
import { sql } from '../../../database/sql.ts';
import type { PageRequest } from '../../../core/page.ts';

/** An API key of another workspace. This workspace pays for its reads. */
interface PaidKey {
  id: string;
  name: string;
  prefix: string;
  tenantId: string;
  tenantName: string;
  workspaceId: string;
  agreedBy: string;
  agreedAt: string;
  expiresAt: string | null;
}

/** Lists the paid keys of a workspace, oldest agreement first. Runs in the scope of the workspace. */
export function listPaidKeys(db: Querier, { limit, offset }: PageRequest): Promise<PaidKey[]> {
  return db.rows(sql`
    SELECT * FROM guildhall_paid_keys() ORDER BY "agreedAt", id LIMIT ${limit} OFFSET ${offset}`);
}

/** Runs in the scope of the workspace. */
export function countPaidKeys(db: Querier): Promise<number> {
  return db.count(sql`SELECT count(*) FROM guildhall_paid_keys()`);
}

/** Blocks changes of a team until the transaction ends. Waits for a change that is already in progress. */
export async function lockTeamForShare(db: Querier, workspaceId: string): Promise<void> {
  await db.run(sql`SELECT guildhall_share_team(${workspaceId})`);
}

/** A key with a payer, as audit records and notifications name it. */
export interface KeyOfPayment {
  keyId: string;
  prefix: string;
  tenantId: string;
  ownWorkspaceId: string;
}

/**
 * Ends the agreement of one key, which ends it for all keys that a rotation gave it to, or all agreements that one member made.
 * Revoked and expired keys keep theirs, because nobody reads with them. Runs in the scope of the workspace.
 */
export function endAgreements(
  db: Querier,
  which: { keyId: string } | { agreedBy: string },
): Promise<KeyOfPayment[]> {
  const [keyId, agreedBy] = 'keyId' in which ? [which.keyId, null] : [null, which.agreedBy];
  return db.rows(sql`SELECT * FROM guildhall_end_agreements(${keyId}, ${agreedBy})`);
}

/** Whether a payer pays for another usable key of an agreement. All keys of an agreement belong to one tenant. */
export function paysForAnotherKey(
  db: Querier,
  tenantId: string,
  { id, subscriberAgreementId }: { id: string; subscriberAgreementId: string | null },
): Promise<boolean> {
  return db.exists(sql`
    SELECT FROM tenant_keys
    WHERE tenant_id = ${tenantId} AND kind = 'api' AND subscriber_agreement_id = ${subscriberAgreementId}
      AND id <> ${id} AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`);
}
