import { sql, type Sql } from '../../../database/sql.ts';

/** The email address of an account, as an expression. Null if the account is no member of the tenant's workspace. */
export function memberEmail(accountId: Sql, tenantId: string): Sql {
  return sql`(
    SELECT email FROM accounts
    WHERE accounts.id = ${accountId} AND EXISTS (
      SELECT FROM memberships
      WHERE account_id = accounts.id
        AND workspace_id = (SELECT workspace_id FROM tenants WHERE id = ${tenantId}) OFFSET 0))`;
}
