import type { Querier } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import type { Role } from '../../http/credential-scope.ts';

/** The role of an account in a workspace, given by its own id or by the id of one of its tenants. */
export function findRole(
  db: Querier,
  accountId: string,
  placeId: string,
): Promise<{ role: Role } | undefined> {
  return db.row(sql`
    SELECT role FROM memberships
    WHERE account_id = ${accountId}
      AND workspace_id = coalesce((SELECT workspace_id FROM tenants WHERE id = ${placeId}), ${placeId})`);
}
