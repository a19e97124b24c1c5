import type { Database } from '../../../database/database.ts';
import { rangeInUtc } from '../../../core/time-range.ts';
import { verifyRows, type Verification } from '../../../core/verification.ts';
import { loginRowHash } from './login-row-hash.ts';
import { selectHashedLogins, type HashedLoginRow } from './queries.ts';

/** Verifies the login ledger of a tenant. A range selects rows by the time of receipt. */
export function verifyLogins(database: Database, verification: Verification): Promise<void> {
  const { tenantId, range } = verification;
  const tenant = database.forTenant(tenantId);
  return verifyRows(
    verification,
    'login_ledger',
    (limit, last?: HashedLoginRow) => selectHashedLogins(tenant, tenantId, rangeInUtc(range), last, limit),
    (row) => loginRowHash({ ...row, tenantId }).equals(row.rowHash),
  );
}
