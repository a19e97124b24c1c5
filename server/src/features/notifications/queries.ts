import type { Querier } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';

/** Somebody who is told. */
export interface Recipient {
  accountId: string;
  email: string;
}

/** The owners and admins of a workspace. */
export function listTeamRecipients(
  db: Querier,
  workspaceId: string,
): Promise<(Recipient & { workspaceName: string })[]> {
  return db.rows(sql`
    SELECT account.id AS "accountId", account.email, workspace.name AS "workspaceName"
    FROM memberships membership
    JOIN accounts account ON account.id = membership.account_id
    JOIN workspaces workspace ON workspace.id = membership.workspace_id
    WHERE membership.workspace_id = ${workspaceId} AND membership.role IN ('owner', 'admin')
    ORDER BY account.id`);
}

/** Those who run the deployment. */
export function listPlatformAdmins(db: Querier): Promise<Recipient[]> {
  return db.rows(sql`
    SELECT id AS "accountId", email FROM accounts WHERE is_platform_admin ORDER BY id`);
}

/** The columns of `notifications` that the application decides. */
export interface NotificationRow {
  id: string;
  account_id: string;
  type: string;
  title: string;
  text: string;
  data: Record<string, unknown>;
  workspace_id: string | null;
  tenant_id: string | null;
}

/** In the order of their accounts, which is the order in which the commit locks their counts. */
export async function insertNotifications(db: Querier, rows: NotificationRow[]): Promise<void> {
  await db.run(sql`
    INSERT INTO notifications (id, account_id, type, title, text, data, workspace_id, tenant_id)
    SELECT id, account_id, type, title, text, data, workspace_id, tenant_id
    FROM jsonb_populate_recordset(NULL::notifications, ${JSON.stringify(rows)})
    ORDER BY account_id`);
}
