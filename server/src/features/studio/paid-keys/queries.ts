import type { Querier } from '../../../database/database.ts';
import { sql } from '../../../database/sql.ts';
import type { PageRequest } from '../../../core/page.ts';

/** An API key of another workspace, whose reads a workspace pays for. */
export interface PaidKey {
  id: string;
  name: string;
  prefix: string;
  tenantId: string;
  tenantName: string;
  workspaceId: string;
  agreedBy: string;
  agreedAt: string;
}

/** In the paying workspace's scope: the oldest agreement first. */
export function listPaidKeys(db: Querier, { limit, offset }: PageRequest): Promise<PaidKey[]> {
  return db.rows(sql`
    SELECT * FROM guildhall_paid_keys() ORDER BY "agreedAt", id LIMIT ${limit} OFFSET ${offset}`);
}

/** In the paying workspace's scope. */
export function countPaidKeys(db: Querier): Promise<number> {
  return db.count(sql`SELECT count(*) FROM guildhall_paid_keys()`);
}

/** Keeps the team of a workspace as it is until the transaction ends. A change of the team waits, or is seen afterwards. */
export async function shareTeam(db: Querier, workspaceId: string): Promise<void> {
  await db.run(sql`SELECT guildhall_share_team(${workspaceId})`);
}

/** A key that a workspace has stopped paying for. */
export interface EndedPayment {
  keyId: string;
  prefix: string;
  tenantId: string;
  ownWorkspaceId: string;
}

/** In the workspace's scope: ends its agreements about one key, or all that one of its members made. Revoked keys are included. */
export function endAgreements(
  db: Querier,
  which: { keyId: string } | { agreedBy: string },
): Promise<EndedPayment[]> {
  const [keyId, agreedBy] = 'keyId' in which ? [which.keyId, null] : [null, which.agreedBy];
  return db.rows(sql`SELECT * FROM guildhall_end_agreements(${keyId}, ${agreedBy})`);
}
